// Procedures on components: the registry, and what is installed in a repository.
import { ACCESS } from './access.ts';
import {
  component,
  componentAddress,
  componentExec,
  componentInstall,
  componentPublication,
  componentRegistration,
  componentReport,
  componentTeardown,
  componentView,
  execAnswer,
  installAddress,
  installation,
  installList,
  installPage,
  registryItem,
  registryList,
  registryPage,
} from './component.ts';
import type { ProcedureRow } from './procedure-row.ts';

const REGISTERS = 'Needs `org:configure`.';
const INSTALLS =
  'Needs `repo:write`; also `repo:configure` where the manifest has subscriptions or credentials, and a `repo:read` that is not narrowed where it has subscriptions or reads.';
const MANAGES = 'Needs `repo:write`; also `repo:configure` where it has subscriptions or credentials.';

export const COMPONENT_PROCEDURES = {
  'component.register': {
    summary: `Puts a component into the registry, with its first version. ${REGISTERS}`,
    access: ACCESS.organize,
    input: componentRegistration,
    output: component,
  },
  'component.publish': {
    summary: `Publishes a version, which never changes afterwards; the latest is what installs take. ${REGISTERS}`,
    access: ACCESS.organize,
    input: componentPublication,
    output: component,
  },
  'component.registry': {
    summary: "Components that can be installed: the public ones, and those of the caller's organizations.",
    access: ACCESS.lists,
    input: registryList,
    output: registryPage,
  },
  'component.view': {
    summary: 'One component of the registry, with its manifest and its versions.',
    access: ACCESS.lists,
    input: componentView,
    output: component,
  },
  'component.unregister': {
    summary: `Takes a component out of the registry. Where it is installed it stays, and can be torn down. ${REGISTERS}`,
    access: ACCESS.organize,
    input: componentAddress,
    output: registryItem,
  },
  'component.install': {
    summary: `Installs the latest version into a repository; again, it brings back what is missing. ${INSTALLS}`,
    access: ACCESS.write,
    input: installation,
    output: componentReport,
  },
  'component.list': {
    summary: 'What is installed in a repository. Needs a `repo:read` that is not narrowed.',
    access: ACCESS.installs,
    input: installList,
    output: installPage,
  },
  'component.get': {
    summary: 'One installed component. Needs a `repo:read` that is not narrowed.',
    access: ACCESS.installs,
    input: installAddress,
    output: componentInstall,
  },
  'component.doctor': {
    summary:
      'What is missing or wrong with an installed component, and what to do. Needs a `repo:read` that is not narrowed.',
    access: ACCESS.installs,
    input: installAddress,
    output: componentReport,
  },
  'component.update': {
    summary: `Brings an installed component to the latest version. Nothing is deleted. ${INSTALLS}`,
    access: ACCESS.write,
    input: installation,
    output: componentReport,
  },
  'component.pause': {
    summary: `Refuses its tokens, rests its subscriptions, calls none of its methods, until it is resumed. ${MANAGES}`,
    access: ACCESS.write,
    input: installAddress,
    output: componentInstall,
  },
  'component.resume': {
    summary: `Ends a pause. ${INSTALLS}`,
    access: ACCESS.write,
    input: installAddress,
    output: componentInstall,
  },
  'component.teardown': {
    summary: `Ends an install: its tokens and subscriptions stop, its data stays. ${MANAGES}`,
    access: ACCESS.write,
    input: installAddress,
    output: componentTeardown,
  },
  'component.exec': {
    summary:
      "Calls a method of an installed component. Needs `repo:read`, and the method's own permission; for a private component, membership of its organization.",
    access: ACCESS.installs,
    input: componentExec,
    output: execAnswer,
  },
} as const satisfies Record<string, ProcedureRow>;
