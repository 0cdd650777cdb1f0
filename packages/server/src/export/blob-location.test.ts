import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blobLocation, ConfigError, readConfig } from '../config.ts';

const KEYS = { CAIRN_S3_ACCESS_KEY_ID: 'id', CAIRN_S3_SECRET_ACCESS_KEY: 'very secret' };
const located = (blobs: string, more: Record<string, string> = KEYS) =>
  blobLocation(readConfig([], { CAIRN_BLOBS: blobs, ...more }));

describe('where blobs are', () => {
  it('is a folder, by default in the data', () => {
    expect(blobLocation(readConfig([], { CAIRN_DATA: '/srv/cairn' }))).toEqual({
      kind: 'folder',
      folder: '/srv/cairn/blobs',
    });
    expect(located('file:/srv/blobs', {})).toEqual({ kind: 'folder', folder: '/srv/blobs' });
    expect(located('file:///srv/blobs', {})).toEqual({ kind: 'folder', folder: '/srv/blobs' });
    expect(located('file:blobs', {})).toEqual({ kind: 'folder', folder: join(process.cwd(), 'blobs') });
  });

  it('is a bucket, with its keys', () => {
    const credentials = { accessKeyId: 'id', secretAccessKey: 'very secret' };
    expect(located('s3://exports/cairn/a?region=eu-west-1')).toEqual({
      kind: 's3',
      bucket: 'exports',
      prefix: 'cairn/a/',
      region: 'eu-west-1',
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      pathStyle: true,
      credentials,
    });
    expect(located('s3://exports?endpoint=http://localhost:9000&style=virtual')).toMatchObject({
      prefix: '',
      endpoint: 'http://localhost:9000',
      pathStyle: false,
    });
  });

  it.each([
    '/srv/blobs',
    'file:',
    'file://host/blobs',
    's3://',
    's3://UPPER_case',
    's3://exports?regoin=eu',
    's3://exports?endpoint=localhost',
    's3://exports?style=other',
    's3://id:secret@exports',
    's3://exports/a%20b',
    'https://exports.s3.amazonaws.com',
  ])('is not %s, and the refusal is one line that says what it takes', (blobs) => {
    expect(() => located(blobs)).toThrow(ConfigError);
    expect(() => located(blobs)).toThrow(/^CAIRN_BLOBS takes file:FOLDER, or s3:\/\/BUCKET\/PREFIX[^\n]*\.$/);
    expect(() => located(blobs)).not.toThrow(/secret@/);
  });

  it('takes both keys of a bucket', () => {
    const { CAIRN_S3_ACCESS_KEY_ID } = KEYS;
    expect(() => located('s3://exports', { CAIRN_S3_ACCESS_KEY_ID })).toThrow(
      'CAIRN_BLOBS=s3:... also needs CAIRN_S3_ACCESS_KEY_ID and CAIRN_S3_SECRET_ACCESS_KEY. Set both.',
    );
  });
});
