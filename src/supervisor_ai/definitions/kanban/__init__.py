"""What a run on a kanban pins: its steps, the gates behind them and who does them."""
