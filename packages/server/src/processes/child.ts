// Entry of a child process. The compile cache lets a replacement start quickly.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runChild } = await import('./run-child.ts');
await runChild();
