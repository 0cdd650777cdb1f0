import { CairnError } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { NO_PROBLEMS, problemsOf } from './problems.ts';

const refused = (details: unknown) => new CairnError('SHAPE_MISMATCH', { message: 'It does not fit.', details });

describe('what the server said against a form', () => {
  it('is told at the field that it names, and of what is within a field there too', () => {
    const error = refused([
      { path: '/data/label', message: 'is missing' },
      { path: '/data/tags/0', message: 'expected text' },
      { path: '/data/tags/1', message: 'is empty' },
    ]);
    const { byPath, whole } = problemsOf(error, ['/data/label', '/data/tags']);
    expect([...byPath]).toEqual([
      ['/data/label', 'is missing'],
      ['/data/tags', 'expected text; is empty'],
    ]);
    expect(whole).toBeUndefined();
  });

  it('is told at the innermost field, and not at one that only begins alike', () => {
    const error = refused([{ path: '/a/b', message: 'no' }]);
    expect([...problemsOf(error, ['/a', '/a/b', '/a/bc']).byPath.keys()]).toEqual(['/a/b']);
    expect(problemsOf(refused([{ path: '/ab', message: 'no' }]), ['/a'])).toMatchObject({ whole: 'ab: no' });
  });

  it('understands paths with dots', () => {
    expect([...problemsOf(refused([{ path: 'filter.shape', message: 'no' }]), ['/filter']).byPath.keys()]).toEqual([
      '/filter',
    ]);
  });

  it('is told at the field of the name where that is taken', () => {
    const error = new CairnError('ALREADY_EXISTS', { message: 'It exists.' });
    expect([...problemsOf(error, ['/name'], { ALREADY_EXISTS: '/name' }).byPath]).toEqual([['/name', 'It exists.']]);
    expect(problemsOf(error, ['/name'])).toMatchObject({ whole: 'It exists.' });
  });

  it('is told as a whole where no field is named', () => {
    expect(problemsOf(refused(undefined), ['/a'])).toMatchObject({ whole: 'It does not fit.' });
    expect(problemsOf(new Error('lost'), ['/a']).whole).toBe('lost');
    expect(problemsOf(null, ['/a'])).toBe(NO_PROBLEMS);
  });
});
