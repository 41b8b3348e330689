"""What a team reads and writes as text: lines, messages, reports and refusals."""
