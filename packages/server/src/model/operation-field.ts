// The fields of one operation as they were sent: each is taken out by its name and checked for its form.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { isJsonObject, type JsonObject, ownValue } from './json-value.ts';

export const REASON_CHARACTERS_MAX = 2_000;

export class OperationFields {
  readonly #fields: JsonObject;

  private constructor(fields: JsonObject) {
    this.#fields = fields;
  }

  static of(raw: unknown): OperationFields {
    if (isJsonObject(raw)) return new OperationFields(raw);
    const example = '{ "operation": "add", "name": "Location/cave", "data": {} }';
    throw invalidField('', `An operation is an object, such as ${example}.`);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  get(name: string): unknown {
    return ownValue(this.#fields, name);
  }

  refuseOthers(what: string, allowed: readonly string[]): void {
    const unknown = Object.keys(this.#fields).filter((field) => !allowed.includes(field));
    if (unknown.length === 0) return;
    const names = unknown.slice(0, 5).join(', ').slice(0, 200);
    throw invalidField(
      `/${unknown[0]?.slice(0, 80)}`,
      `${what} has no field ${names}. It takes ${allowed.join(', ')}.`,
    );
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalidField(`/${name}`, `${name} is ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}.`);
  }

  flag(name: string): boolean | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== 'boolean') throw invalidField(`/${name}`, `${name} is true or false.`);
    return value;
  }

  version(name: string): number | undefined {
    const version = this.get(name);
    if (version === undefined) return undefined;
    if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
      throw invalidField(`/${name}`, `${name} is a whole number from 1.`);
    }
    return version;
  }

  requiredText(name: string, meaning: string): string {
    const value = this.get(name);
    if (typeof value === 'string' && value !== '') return value;
    throw invalidField(`/${name}`, `Give ${meaning}, as ${name}.`);
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.length > REASON_CHARACTERS_MAX || value.includes('\0')) {
      throw invalidField(`/${name}`, `${name} is a text of at most ${REASON_CHARACTERS_MAX} characters.`);
    }
    return value;
  }
}

export function invalidField(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
}
