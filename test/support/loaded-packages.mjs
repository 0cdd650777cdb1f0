// Loaded into a server: tells the parent process on request which packages are loaded.
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const packages = new Set();

registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});

if (isMainThread) process.on('message', () => process.send([...packages]));
