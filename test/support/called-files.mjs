// Loaded into every thread of a server: counts how often each function is called, and answers the parent process on request.
import { Session } from 'node:inspector';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error === null ? resolve(result) : reject(error))),
  );
await post('Profiler.enable');
await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Files and the most calls of one of their functions since the last time. The first function of a file is its module. */
async function takeCalls() {
  const { result } = await post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const calls = Math.max(0, ...functions.slice(1).map(({ ranges }) => ranges[0]?.count ?? 0));
    return url.startsWith('file:') && calls > 0 ? [[url, calls]] : [];
  });
}

const channel = new BroadcastChannel('called-files');
channel.unref();
if (isMainThread) {
  channel.onmessage = ({ data }) => {
    if (Array.isArray(data)) process.send(data);
  };
  process.on('message', async (message) => {
    if (message !== 'take') return;
    channel.postMessage('take');
    process.send(await takeCalls());
  });
} else {
  channel.onmessage = async ({ data }) => {
    if (data === 'take') channel.postMessage(await takeCalls());
  };
}
