// Records and commits in the format of Cairn's answers, for the other servers of the comparison.

export type StoredRecord = readonly [
  id: number,
  name: string,
  seq: number,
  data: string,
  hash: string,
  author: string,
  at: number,
];

export function recordText([id, name, seq, data, hash, author, at]: StoredRecord): string {
  return `{"durableId":"${String(id).padStart(26, '0')}","wref":"${name}","pinnedWref":"${name}@v1","name":"${name}","kind":"thing","shapeName":"Reading","version":1,"active":true,"repoSeq":${seq},"data":${data},"dataHash":"${hash}","createdBy":"${author}","recordCreatedAt":${at},"versionCreatedAt":${at}}`;
}

export function commitText(repoSeq: number, commitId: string, records: readonly (readonly [string, string])[]): string {
  const operations = records.map(
    ([name, hash], index) =>
      `{"opIndex":${index},"operation":"add","kind":"thing","name":"${name}","version":1,"status":"applied","dataHash":"${hash}"}`,
  );
  return `{"result":{"data":{"repoSeq":${repoSeq},"commitId":"${commitId}","partial":false,"operations":[${operations.join(',')}]}}}`;
}
