'use strict';
// A reporter of `node --test` that leaves each test, with its file, in a report of its own.
const fs = require('fs');
const path = require('path');

const place = process.env.SUPERVISOR_REPORTS;

function told(data) {
  const error = data.details && data.details.error;
  const cause = error && (error.cause || error);
  return cause ? String(cause.stack || cause.message || cause).slice(0, 2000) : '';
}

module.exports = async function* (source) {
  delete process.env.SUPERVISOR_REPORTS;
  const cases = [];
  const titles = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') titles[data.nesting] = data.name;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isLeft = data.skip !== undefined || data.todo !== undefined;
    const status = isLeft ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    const names = titles.slice(0, data.nesting).concat(data.name);
    const isFile = data.file !== undefined && path.resolve(data.name) === data.file;
    const isGroup = (isFile || (data.details || {}).type === 'suite') && status !== 'failed';
    cases.push({ file: data.file || null, titles: names, status, told: told(data), isGroup });
  }
  if (place) {
    const report = path.join(place, 'node-' + process.pid + '.json');
    fs.writeFileSync(report, JSON.stringify({ cases }));
  }
};
