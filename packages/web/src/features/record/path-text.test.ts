import { expect, it } from 'vitest';
import { fieldText, pathText } from '../../ui/path-text.ts';

it('a place in data is written with dots, and as a pointer only where a name has such signs itself', () => {
  expect(pathText('/danger')).toBe('danger');
  expect(pathText('/position/x')).toBe('position.x');
  expect(pathText('/knows/1')).toBe('knows.1');
  expect(pathText('/a.b/x')).toBe('/a.b/x');
});

it('a field is written without the places in its lists', () => {
  expect(fieldText('/knows/0')).toBe('knows');
  expect(fieldText('/links/12/target')).toBe('links.target');
});
