// Type-level check that no call of the client takes or returns `any` at any depth. sdk-types.test.ts compiles this.
import type { CairnClient } from '@cairn/sdk';

type IsAny<Type> = 0 extends 1 & Type ? true : false;
type Less = [never, 0, 1, 2, 3, 4, 5, 6];

type Plain = string | number | boolean | bigint | symbol | null | undefined;
type OfPlatform = AbortSignal | Blob | Response | Uint8Array;

/** `true` if there is an `any` within this many steps, otherwise `never`. */
type AnyIn<Type, Steps extends Less[number]> = [Steps] extends [never]
  ? never
  : IsAny<Type> extends true
    ? true
    : Type extends Plain | OfPlatform
      ? never
      : Type extends (...given: infer Given) => infer Result
        ? AnyIn<Given, Less[Steps]> | AnyIn<Result, Less[Steps]>
        : Type extends Promise<infer Result>
          ? AnyIn<Result, Less[Steps]>
          : // The library's own generators take `any`.
            Type extends AsyncIterable<infer Item> | Iterable<infer Item>
            ? AnyIn<Item, Less[Steps]>
            : Type extends readonly (infer Item)[]
              ? AnyIn<Item, Less[Steps]>
              : { [Key in keyof Type]-?: AnyIn<Type[Key], Less[Steps]> }[keyof Type];

type None<Found extends never> = Found;

export type InClient = None<AnyIn<Omit<CairnClient, 'repo'>, 6>>;
/** Calls on repositories. `repo` is also a function, so it is mapped to its members. */
export type InRepo = None<AnyIn<{ [Name in keyof CairnClient['repo']]: CairnClient['repo'][Name] }, 6>>;
export type InHandle = None<AnyIn<ReturnType<CairnClient['repo']>, 6>>;

// It finds one.
// @ts-expect-error An answer that is not known.
export type Found = None<AnyIn<{ read: () => Promise<{ items: { data: ReturnType<typeof JSON.parse> }[] }> }, 6>>;
