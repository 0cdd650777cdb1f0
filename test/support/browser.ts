// A browser without a window: it keeps cookies as browsers do, follows redirects and refresh pages, fills in forms and
// sends their origin. Tests that need a real browser use Chromium.

export interface Visited {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly host: string;
  readonly flags: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: URLSearchParams | string;
}

const HOPS_MAX = 20;

export class Browser {
  #cookies: Cookie[] = [];
  readonly #stopsAt: RegExp | undefined;

  constructor({ stopsAt }: { stopsAt?: RegExp } = {}) {
    this.#stopsAt = stopsAt;
  }

  /** Cookies that it would send to an address, by name. */
  cookiesFor(address: string): Record<string, string> {
    const { host, pathname } = new URL(address);
    const sent = this.#cookies.filter(
      (cookie) =>
        cookie.host === host &&
        (pathname === cookie.path || pathname.startsWith(cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`)),
    );
    return Object.fromEntries(sent.map(({ name, value }) => [name, value]));
  }

  flagsOf(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.flags;
  }

  setCookie(address: string, name: string, value: string): void {
    this.#keep(new URL(address), `${name}=${value}; Path=/`);
  }

  async open(address: string): Promise<Visited> {
    return await this.#follow(address, {});
  }

  async submit(page: Visited, fields: Record<string, string> = {}, form = 0): Promise<Visited> {
    const { action, method, values } = formsOf(page)[form] ?? missing(page);
    const address = new URL(action || page.url, page.url);
    const body = new URLSearchParams({ ...values, ...fields });
    if (method === 'get') {
      address.search = body.toString();
      return await this.#follow(address.href, {});
    }
    const headers = { origin: new URL(page.url).origin, 'sec-fetch-site': 'same-origin' };
    return await this.#follow(address.href, { method: 'POST', headers, body });
  }

  /** Sends one request without following redirects. */
  async send(address: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Visited> {
    const cookie = Object.entries(this.cookiesFor(address)).map(([name, value]) => `${name}=${value}`);
    const answer = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie.length > 0 && { cookie: cookie.join('; ') }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(new URL(address), line);
    return { url: address, status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async #follow(address: string, sent: Sent): Promise<Visited> {
    let page = await this.send(address, sent);
    for (let hops = 0; hops < HOPS_MAX; hops += 1) {
      const next = nextOf(page);
      if (next === undefined) return page;
      if (this.#stopsAt?.test(next)) return { ...page, url: next, text: '' };
      page = await this.send(next);
    }
    throw new Error(`led on for ever, last to ${page.url}`);
  }

  #keep(from: URL, line: string): void {
    const [pair = '', ...flags] = line.split(/;\s*/);
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const flag = (wanted: string) =>
      flags.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = flag('path') ?? '/';
    const { host } = from;
    this.#cookies = this.#cookies.filter((kept) => !(kept.name === name && kept.path === path && kept.host === host));
    const ended = flag('max-age') === '0' || Date.parse(flag('expires') ?? '') < Date.now();
    if (!ended) this.#cookies.push({ name, value, path, host, flags: flags.join('; ') });
  }
}

function nextOf({ url, status, headers, text }: Visited): string | undefined {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) return new URL(location, url).href;
  const [, onward] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text) ?? [];
  return onward === undefined ? undefined : new URL(unescaped(onward), url).href;
}

interface Form {
  readonly action: string;
  readonly method: string;
  readonly values: Record<string, string>;
}

export function formsOf({ text }: Visited): Form[] {
  return [...text.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input([^>]*)>/g)].map(([, input = '']) => input);
    const values = inputs.flatMap((input) => {
      const [name, value] = [attribute(input, 'name'), attribute(input, 'value')];
      return name === undefined ? [] : [[name, value ?? ''] as const];
    });
    const method = attribute(head, 'method') ?? 'get';
    return { action: attribute(head, 'action') ?? '', method, values: Object.fromEntries(values) };
  });
}

function attribute(text: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? undefined : unescaped(value);
}

function unescaped(text: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => names[name] ?? '');
}

function missing({ url, text }: Visited): never {
  throw new Error(`${url} has no such form:\n${text}`);
}
