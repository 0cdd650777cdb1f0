// Sends the same commit ten times at once and prints each receipt. Tests start several of these.
import { CairnClient } from '@cairn/sdk';

const [url = '', token = ''] = process.argv.slice(2);
const client = new CairnClient({ url, token });
const request = {
  submissionId: '0b0a1f1e-6f1d-4a52-8f53-93a1f4f1c0de',
  operations: [{ name: 'Sensor/once', data: { score: 1 } }],
};
const receipts = await Promise.all(Array.from({ length: 10 }, () => client.commit.submit('ada', 'world', request)));
for (const receipt of receipts) console.log(JSON.stringify(receipt));
