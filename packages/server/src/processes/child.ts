// Where a process of several begins: code that was compiled before is not compiled again, so that one that died is back soon.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runChild } = await import('./run-child.ts');
await runChild();
