// Started by the tests of run.mjs: prints the version and arguments of Node, and exits with a distinctive code.
console.log(process.version, JSON.stringify(process.argv.slice(2)));
process.exitCode = 7;
