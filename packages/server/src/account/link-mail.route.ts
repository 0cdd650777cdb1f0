// What pages need to mail a link to somebody who is not signed in.

import { type EdgeContext, originOf } from '../http/env.ts';
import type { Asker, LinkMail } from './forgotten-password.ts';

export function linkMail(c: EdgeContext): LinkMail {
  const { store, mail, settings } = c.get('deps');
  return { store, mail, publicUrl: settings.publicUrl };
}

export function askerOf(c: EdgeContext): Asker {
  const { limiter } = c.get('deps');
  return { ...originOf(c), askLink: () => limiter.askLink(c.get('address')) };
}
