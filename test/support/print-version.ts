// What the tests of run.mjs start: shows which Node runs it and with which arguments, and ends with a code of its own.
console.log(process.version, JSON.stringify(process.argv.slice(2)));
process.exitCode = 7;
