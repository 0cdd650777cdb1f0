import { describe, expect, it } from 'vitest';
import { freeSetName, moveProblem, otherUsers, setProblem, waitingAdvice } from './credential-set.ts';

const HERE = 'http://127.0.0.1:9000';
const THERE = 'http://127.0.0.1:9001';
const hook = { name: 'hook', webhookOrigin: `${HERE}/***`, credentialSet: 'hook' };
const to = (webhookUrl: string, fallbackWebhookUrl = '') => ({ webhookUrl, fallbackWebhookUrl });

describe('a credential set', () => {
  const set = { name: 'hook', boundOrigin: HERE };

  it('goes to the origin that it is bound to, whatever the path', () => {
    expect(setProblem(set, to(`${HERE}/other`), [hook])).toBeUndefined();
    expect(setProblem(set, to(''), [hook])).toBeUndefined();
    expect(setProblem(set, to('http://'), [hook])).toBeUndefined();
  });

  it('goes to no other, and who would lose it is told', () => {
    expect(setProblem(set, to(`${THERE}/hook`), [hook])).toBe(
      `hook is bound to ${HERE}. A delivery to another origin would block all deliveries with this set, including those of hook. Create a new secret, or choose another set.`,
    );
    expect(setProblem(set, to(THERE), [])).toContain('with this set. Create');
  });

  it('is for where others send, before its first delivery', () => {
    expect(setProblem({ name: 'hook' }, to(THERE), [hook])).toContain(`bound to ${HERE}`);
    expect(setProblem({ name: 'hook' }, to(THERE), [])).toBeUndefined();
  });

  it('goes to one fallback', () => {
    const both = { ...set, boundFallbackOrigin: THERE };
    expect(setProblem(both, to(HERE, HERE), [])).toContain(`bound to ${THERE}`);
    expect(setProblem(both, to(HERE, THERE), [])).toBeUndefined();
    expect(setProblem(set, to(HERE, THERE), [])).toBeUndefined();
  });

  it('is not taken while it waits for new keys', () => {
    expect(setProblem({ ...set, unboundAt: 1 }, to(HERE), [])).toContain('hook is blocked until its keys are set');
  });
});

it('a subscription sends elsewhere unless others have its set', () => {
  const users = otherUsers('hook', [hook, { ...hook, name: 'second' }, { ...hook, credentialSet: 'x' }], 'hook');
  expect(users.map(({ name }) => name)).toEqual(['second']);
  expect(moveProblem(hook, THERE, users)).toContain('also used by second');
  expect(moveProblem(hook, `${HERE}/elsewhere`, users)).toBeUndefined();
  expect(moveProblem(hook, THERE, [])).toBeUndefined();
});

it('what to do with a set that waits depends on who else uses it', () => {
  expect(waitingAdvice(hook, [{ ...hook, name: 'second' }])).toContain('Set the keys of hook again');
  expect(waitingAdvice(hook, [{ ...hook, name: 'second', webhookOrigin: `${THERE}/***` }])).toContain(
    'Give hook its own set',
  );
});

it('a new set is called as its subscription, or like it', () => {
  expect(freeSetName('hook', [])).toBe('hook');
  expect(freeSetName('hook', ['hook', 'hook-2'])).toBe('hook-3');
});
