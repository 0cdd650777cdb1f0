// Valid and invalid uses of a defined shape. Each mistake follows a `@ts-expect-error`, which is itself an error if the
// code is correct. sdk-types.test.ts compiles this file unchanged, and again without these directives. Nothing runs it.
import { CairnClient, type DataOf, defineShape, type InputOf, type ShapeFields } from '@cairn/sdk';

const repo = new CairnClient({ url: 'http://localhost:8787' }).repo('acme/world');

const Sensor = defineShape('Sensor', {
  x: 'number',
  'label?': 'string',
  unit: 'string?',
  state: { type: 'string', enum: ['on', 'off'] },
  level: { type: 'number?', enum: [1, 2, 3], indexed: true },
  isPublic: { type: 'boolean' },
  owner: { type: 'wref', shape: 'Person' },
  'tags?': ['string'],
  readings: { type: 'array', items: { at: 'number', 'note?': 'string' }, minItems: 1 },
  links: ['wref?'],
  position: { x: 'number', 'y?': 'number', type: { type: 'string' } },
  anything: 'array',
  extra: 'json',
});

type Equal<Left, Right> = [Left, Right] extends [Right, Left] ? true : false;
const same = <Left, Right>(_: Equal<Left, Right>) => {};

same<
  DataOf<typeof Sensor>,
  {
    x: number;
    label?: string | null | undefined;
    unit?: string | null | undefined;
    state: 'on' | 'off';
    level?: 1 | 2 | 3 | null | undefined;
    isPublic: boolean;
    owner: string | null;
    tags?: string[] | null | undefined;
    readings: { at: number; note?: string | null | undefined }[];
    links: (string | null)[];
    position: { x: number; y?: number | null | undefined; type: string };
    anything: unknown[];
    extra: unknown;
  }
>(true);
// @ts-expect-error It is checked both ways.
same<DataOf<typeof Sensor>, { x: number }>(true);

const data: InputOf<typeof Sensor> = {
  x: 3,
  state: 'on',
  isPublic: true,
  owner: 'Person/ada',
  readings: [{ at: 1 }],
  links: ['Sensor/roof', null],
  position: { x: 1, type: 'outdoors' },
  anything: [1, 'two'],
  extra: { deep: [null] },
};
repo
  .commit()
  .add(Sensor.wref('roof'), data)
  .revise(Sensor.wref('roof'), { ...data, x: 4, label: null });
repo
  .commit()
  .operation(Sensor.add('roof', data))
  .operation(Sensor.revise('roof', data, { expectedVersion: 1 }));
// @ts-expect-error A wrong field. Says: 'colour' does not exist in type '{
repo.commit().add(Sensor.wref('roof'), { ...data, colour: 'red' });
// @ts-expect-error A wrong type. Says: Type 'string' is not assignable to type 'number'.
repo.commit().add(Sensor.wref('roof'), { ...data, x: 'three' });
// @ts-expect-error A value that the enum does not have.
repo.commit().add(Sensor.wref('roof'), { ...data, state: 'broken' });
// @ts-expect-error A number that the enum does not have. Says: Type '4' is not assignable to type '1 | 2 | 3 | null | undefined'.
repo.commit().add(Sensor.wref('roof'), { ...data, level: 4 });
// @ts-expect-error A field that must be there is not.
repo.commit().add(Sensor.wref('roof'), { x: 3 });
// @ts-expect-error A wrong type in a nested field. Says: Type 'string' is not assignable to type 'number'.
repo.commit().revise(Sensor.wref('roof'), { ...data, position: { x: '1', type: 'outdoors' } });
// @ts-expect-error A wrong type in an array.
repo.commit().revise(Sensor.wref('roof'), { ...data, tags: [1] });
// @ts-expect-error A wrong field in an array of objects.
repo.commit().revise(Sensor.wref('roof'), { ...data, readings: [{ at: 1, by: 'ada' }] });
// @ts-expect-error A reference must be text: it cannot be written as null.
repo.commit().revise(Sensor.wref('roof'), { ...data, owner: null });
// @ts-expect-error A wrong type in an operation.
Sensor.add('roof', { ...data, x: null });
// Without a known shape, any object is accepted.
repo.commit().add('Sensor/roof', { colour: 'red' }).revise('Sensor/roof', { colour: 'blue' });

export async function read() {
  const { data: one } = await repo.things.get(Sensor.wref('roof'));
  one.x.toFixed();
  one.label?.length;
  one.position.y?.toFixed();
  // @ts-expect-error A field that the shape does not have.
  one.colour;
  // @ts-expect-error A field that need not be there.
  one.label.length;
  // @ts-expect-error A reference may be hidden from the reader.
  one.owner.length;
  // @ts-expect-error Without a shape, what the data is must be found out.
  (await repo.things.get('Sensor/roof')).data.x;
  const { items } = await repo.things.getMany([Sensor.wref('roof'), Sensor.wref('cellar')]);
  items[0]?.data.x.toFixed();
  for await (const version of repo.things.history(Sensor.wref('roof'))) version.data.x.toFixed();
  for await (const { name, data: found } of repo.things.query({ shape: Sensor })) {
    name.length;
    found.x.toFixed();
    // @ts-expect-error A wrong type.
    found.x.length;
  }
  const page = await repo.things.head({ shape: Sensor, limit: 2 });
  page.repoSeq.toFixed();
  page.items[0]?.data.state === 'on';
  // @ts-expect-error A value that the enum does not have.
  page.items[0]?.data.state === 'broken';
  for await (const { data: found } of repo.things.query({ shape: Sensor, fields: ['x', 'position.x'] })) {
    found.position?.x?.toFixed();
    // @ts-expect-error Only some of it was asked for.
    found.x.toFixed();
  }
  for await (const { data: found } of repo.things.about('Location/cave', { shape: Sensor })) found.x.toFixed();
  for await (const { data: found } of repo.things.search('roof', { shape: Sensor })) found.x.toFixed();
  // @ts-expect-error A shape by its name alone says nothing of the data.
  for await (const { data: found } of repo.things.query({ shape: 'Sensor' })) found.x;
}

repo.things.query({ shape: Sensor, where: ['x:gte:3', 'state:eq:on', 'label:prefix:a', 'position.x:lt:-1.5'] });
repo.things.query({
  shape: Sensor,
  where: ['tags:exists', 'extra:exists:false', 'position:exists', 'isPublic:eq:true'],
});
repo.things.query({ shape: Sensor, where: [{ fieldPath: 'x', op: 'in', rhs: [1, 2] }, 'level:in:1,2'] });
repo.things.head({ shape: Sensor, where: [{ fieldPath: 'position.y', op: 'gt', rhs: 1 }, 'owner:eq:Person/ada'] });
repo.things.count({ shape: Sensor, where: [{ fieldPath: 'label', op: 'exists' }] });
// @ts-expect-error A path that the shape does not declare. Says: Type '"colour:eq:red"' is not assignable to type '"The shape Sensor does not declare colour"'.
repo.things.query({ shape: Sensor, where: ['colour:eq:red'] });
// @ts-expect-error A path that the shape does not declare, in long form. Says: Type '"colour"' is not assignable to type '"The shape Sensor does not declare colour"'.
repo.things.query({ shape: Sensor, where: [{ fieldPath: 'colour', op: 'eq', rhs: 'red' }] });
// @ts-expect-error A path below a field that has none. Says: "The shape Sensor does not declare x.y"
repo.things.query({ shape: Sensor, where: ['x.y:eq:1'] });
// @ts-expect-error Items of arrays have no place of their own. Says: "The shape Sensor does not declare tags.0"
repo.things.query({ shape: Sensor, where: ['tags.0:eq:a'] });
// @ts-expect-error A number is compared with a number. Says: Type '"x:gte:three"' is not assignable to type '`x:gte:${number}`'.
repo.things.query({ shape: Sensor, where: ['x:gte:three'] });
// @ts-expect-error A number is compared with a number, in long form. Says: Type 'string' is not assignable to type 'number'.
repo.things.query({ shape: Sensor, where: [{ fieldPath: 'x', op: 'gte', rhs: '3' }] });
// @ts-expect-error An enum is compared with what it has. Says: not assignable to type '"state:eq:off" | "state:eq:on"'.
repo.things.head({ shape: Sensor, where: ['state:eq:broken'] });
// @ts-expect-error Truth has no order. Says: "isPublic is of type boolean, which has no operator gt"
repo.things.head({ shape: Sensor, where: ['isPublic:gt:true'] });
// @ts-expect-error Numbers have no prefix. Says: "x is of type number, which has no operator prefix"
repo.things.head({ shape: Sensor, where: ['x:prefix:3'] });
// @ts-expect-error An array can be asked for `exists` alone. Says: "tags is of type array, which has no operator eq"
repo.things.head({ shape: Sensor, where: ['tags:eq:a'] });
// @ts-expect-error There is no such operator. Says: "x is of type number, which has no operator like"
repo.things.count({ shape: Sensor, where: ['x:like:3'] });
// @ts-expect-error There is no such operator, in long form. Says: "x is of type number, which has no operator like"
repo.things.count({ shape: Sensor, where: [{ fieldPath: 'x', op: 'like', rhs: '3' }] });
// @ts-expect-error A field alone is no condition. Says: "A condition is a field, an operator and a value, such as x:gte:3"
repo.things.count({ shape: Sensor, where: ['x'] });
// @ts-expect-error A path to answer that the shape does not declare. Says: Type '"colour"' is not assignable to type '"anything" | "extra" |
repo.things.query({ shape: Sensor, fields: ['colour'] });
// @ts-expect-error An option that there is not.
repo.things.query({ shape: Sensor, wher: ['x:gte:3'] });
// Conditions composed in advance, and an explicit shape type.
const level = Math.random();
const where = [`x:gte:${level}`, { fieldPath: 'level', op: 'in', rhs: [1, 2] }] as const;
repo.things.query<typeof Sensor>({ shape: Sensor, where });
repo.things.query({ shape: Sensor, where });
// Without a known shape, any path is accepted and the server validates it.
repo.things.query({ shape: 'Sensor', where: ['colour:eq:red'], fields: ['colour'] });

// Definitions.
// @ts-expect-error No shape can be called so. Says: "A shape name is a letter followed by up to 127
defineShape('Bad name', { x: 'number' });
// @ts-expect-error Nor so: that is the name of a record. Says: '"Location/cave"'
defineShape('Location/cave', { x: 'number' });
// @ts-expect-error Nor so. Says: '"1st"'
defineShape('1st', { x: 'number' });
// @ts-expect-error There is no such type. Says: Type '"integer"' is not assignable to type '"There is no type integer. The types are string,
defineShape('Wrong', { x: 'integer' });
// @ts-expect-error Nor in a nested field. Says: '"There is no type text.
defineShape('Wrong', { x: { y: 'text' } });
// @ts-expect-error Nor in an array. Says: '"There is no type text.
defineShape('Wrong', { x: ['text'] });
// @ts-expect-error Nor in long form. Says: '"There is no type text.
defineShape('Wrong', { x: { type: 'text', indexed: true } });
// @ts-expect-error What is no definition at all. Says: Type 'number' is not assignable to type '"A field is a type such as string, a list of one, or an object"'.
defineShape('Wrong', { x: 3 });
// @ts-expect-error A keyword that does not go with the type. Says: "A field of type number has no pattern"
defineShape('Wrong', { x: { type: 'number', pattern: 'a' } });
// @ts-expect-error A keyword that there is not. Says: "A field of type string has no maxLenght"
defineShape('Wrong', { x: { type: 'string', maxLenght: 3 } });
// @ts-expect-error The same in an array of a nested field. Says: "A field of type wref has no shapes"
defineShape('Wrong', { x: { y: [{ z: { type: 'wref', shapes: 'Person' } }] } });
// @ts-expect-error The same in items. Says: "A field of type boolean has no minimum"
defineShape('Wrong', { x: { type: 'array', items: { type: 'boolean', minimum: 1 } } });
// @ts-expect-error A keyword with a value of another type. Says: Type 'string' is not assignable to type 'number'.
defineShape('Wrong', { x: { type: 'number', minimum: '1' } });
// @ts-expect-error An array is of one type. Says: "A list holds one field, that of all its items"
defineShape('Wrong', { x: ['string', 'number'] });
// @ts-expect-error One mistake is told once: what uses the shape is let through. Says: '"There is no type text.
const Mistaken = defineShape('Mistaken', { x: 'text' });
repo.commit().add(Mistaken.wref('a'), { x: 'a' });
repo.things.query({ shape: Mistaken, where: ['x:eq:a'] });

// Fields known only at run time, such as those of a file, leave the data untyped.
const Read = defineShape('Read', JSON.parse('{}') as ShapeFields);
repo.commit().add(Read.wref('a'), { anything: 1 });
repo.things.query({ shape: Read, where: ['anything:eq:1'], fields: ['anything'] });
