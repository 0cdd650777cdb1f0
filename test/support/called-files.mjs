// Loaded into every thread of a server: counts how often each function is called, and answers the parent process.
import { Session } from 'node:inspector';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error === null ? resolve(result) : reject(error))),
  );
await post('Profiler.enable');
await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The code of a module itself counts as a function without a name. It runs once, when the file is loaded. */
const isModule = ({ functionName, ranges }) => functionName === '' && ranges[0]?.startOffset === 0;

/** For each file, the call count of its most called function since the last time. */
async function takeCalls() {
  const { result } = await post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const counts = functions.filter((one) => !isModule(one)).map(({ ranges }) => ranges[0]?.count ?? 0);
    const calls = Math.max(0, ...counts);
    return url.startsWith('file:') && calls > 0 ? [[url, calls]] : [];
  });
}

// Each answer repeats the number of its request, because answers can be late.
const channel = new BroadcastChannel('called-files');
channel.unref();
const answer = async (id) => ({ id, threadId, calls: await takeCalls() });
if (isMainThread) {
  channel.onmessage = ({ data }) => process.send(data);
  process.on('message', async (id) => {
    channel.postMessage(id);
    process.send(await answer(id));
  });
} else {
  channel.onmessage = async ({ data }) => {
    if (typeof data === 'number') channel.postMessage(await answer(data));
  };
}
