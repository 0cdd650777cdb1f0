// Values of settings, read from their texts. Each throws an Error that says what the setting takes.
import { BlockList, isIP } from 'node:net';

const takes = (what: string) => new Error(`takes ${what}`);

export function wholeNumber({ min, max }: { min: number; max: number }) {
  return (text: string) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) throw takes(`a whole number from ${min} to ${max}`);
    return value;
  };
}

export function oneOf<Choice extends string>(...choices: Choice[]) {
  return (text: string) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw takes(`one of ${choices.join(', ')}`);
    return choice;
  };
}

export function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw takes('an http or https URL without query or credentials, such as https://cairn.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

/** As it is written: with a slash at its end it is another. */
export function issuerUrl(text: string): string {
  httpUrl(text);
  return text;
}

export function origins(text: string): string[] {
  const list = text.split(',').filter((part) => part !== '');
  for (const origin of list) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw takes('a comma-separated list of origins such as https://app.example.com, or *');
    }
  }
  return list;
}

export function addressRanges(text: string): BlockList {
  const ranges = new BlockList();
  for (const part of text.split(',').map((entry) => entry.trim())) {
    if (part === 'loopback') {
      ranges.addSubnet('127.0.0.0', 8, 'ipv4');
      ranges.addAddress('::1', 'ipv6');
    } else if (part !== '') {
      const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
      const version = isIP(address);
      const bits = version === 4 ? 32 : 128;
      if (version === 0 || Number(prefix ?? bits) > bits) {
        throw takes(
          'a comma-separated list of addresses, ranges such as 10.0.0.0/8 or fd00::/8, and the word loopback',
        );
      }
      ranges.addSubnet(address, Number(prefix ?? bits), version === 4 ? 'ipv4' : 'ipv6');
    }
  }
  return ranges;
}

/** As `host:port`, in lower case. */
export function hostsAndPorts(text: string): string[] {
  const list = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim().toLowerCase()]));
  for (const part of list) {
    const [, port] = /^(?:\[[0-9a-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/.exec(part) ?? [];
    if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
      throw takes('a comma-separated list of host:port, such as hooks.internal:8080 or [fd00::1]:443');
    }
  }
  return list;
}

export function seconds(text: string): number[] {
  const list = text.split(',').map((part) => part.trim());
  if (!list.every((part) => /^\d{1,7}$/.test(part)) || list.length > 50) {
    throw takes('up to 50 whole numbers of seconds, separated by commas');
  }
  return list.map(Number);
}

export function longSecret(text: string): string {
  if (text.length < 32) throw takes('at least 32 characters; make one with `openssl rand -base64 32`');
  return text;
}

export const text = (value: string) => value;
