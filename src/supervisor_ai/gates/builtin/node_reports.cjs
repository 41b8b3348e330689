'use strict';
// Loaded by every node of a gate's command: asks the runner that it turns out to be for a report.
// Whatever goes wrong here leaves the runner as it is.
const fs = require('fs');
const path = require('path');

const place = process.env.SUPERVISOR_REPORTS;
const argv = process.argv;

function script() {
  const main = argv[1] || '';
  try {
    return fs.realpathSync(main).split(path.sep).join('/');
  } catch (error) {
    return main;
  }
}

function isMainThread() {
  try {
    return require('worker_threads').isMainThread;
  } catch (error) {
    return true;
  }
}

// What tests start is not what is asked about.
function keepFromChildren() {
  delete process.env.SUPERVISOR_REPORTS;
}

function has(pattern) {
  return argv.slice(2).some((word) => pattern.test(word));
}

function file(runner) {
  return path.join(place, runner + '-' + process.pid + '.json');
}

function jest() {
  if (!has(/^--?(json|outputFile|listTests|showConfig|version|help|init)\b/)) {
    argv.push('--json', '--outputFile=' + file('jest'));
  }
  keepFromChildren();
}

function vitest() {
  if (!has(/^(--outputFile|--help|--version|-h|-v|list|bench|init)\b/)) {
    if (!has(/^--reporter/)) argv.push('--reporter=default');
    argv.push('--reporter=json', '--outputFile.json=' + file('vitest'));
  }
  keepFromChildren();
}

function mocha(root) {
  const found = require(path.join(root, 'lib', 'runner.js'));
  const Runner = typeof found === 'function' ? found : found.Runner;
  const run = Runner.prototype.run;
  Runner.prototype.run = function (...words) {
    try {
      listen(this);
    } catch (error) {
      // It runs without us.
    }
    return run.apply(this, words);
  };
}

function listen(runner) {
  const report = file('mocha');
  const tests = [];
  const add = (status) => (test, error) => {
    const titles = typeof test.titlePath === 'function' ? test.titlePath() : [test.fullTitle()];
    const told = error ? String(error.stack || error.message || error).slice(0, 2000) : '';
    tests.push({ file: test.file || null, titles, status, told });
  };
  runner.on('pass', add('passed'));
  runner.on('fail', add('failed'));
  runner.on('pending', add('skipped'));
  runner.on('end', () => fs.writeFileSync(report, JSON.stringify({ cases: tests })));
  keepFromChildren();
}

function ask() {
  const main = script();
  const inMocha = /^(.*\/mocha)\/(?:bin\/_?mocha(?:\.js)?|lib\/cli\/cli\.js)$/.exec(main);
  if (/\/(?:jest|jest-cli)\/bin\/jest\.js$|\/react-scripts\/scripts\/test\.js$/.test(main)) jest();
  else if (/\/vitest\/(?:vitest\.mjs|dist\/cli\.js)$/.test(main)) vitest();
  else if (inMocha) mocha(inMocha[1]);
}

try {
  if (place && isMainThread()) ask();
} catch (error) {
  // It runs without us.
}
