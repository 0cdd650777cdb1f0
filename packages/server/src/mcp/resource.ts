// Resources: the texts of a repository, and each record by wref, as the caller may read them.

import type { CairnError } from '@cairn/protocol/errors';
import {
  type ListResourcesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type TextResourceContents,
} from '@modelcontextprotocol/server';
import { callProcedure } from '../procedures.ts';
import { type RawFile, readRawContent } from '../repository/content.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { inProtocol, shortened, toolErrorOf } from './message.ts';
import type { McpCall } from './tool-call.ts';

const TEXTS: Readonly<Record<string, { file: RawFile; mimeType: string; title: string; description: string }>> = {
  llms: {
    file: 'llms.txt',
    mimeType: 'text/plain',
    title: 'Overview for models',
    description: 'Shapes, fields and counts of a repository, and how to read it.',
  },
  readme: {
    file: 'readme.md',
    mimeType: 'text/markdown',
    title: 'Readme',
    description: 'The readme of a repository; empty if nobody wrote one.',
  },
  agents: {
    file: 'agents.md',
    mimeType: 'text/markdown',
    title: 'Advice for agents',
    description: 'Advice for agents who work with a repository; empty if nobody wrote any.',
  },
};

const RECORD_TYPE = 'application/json';

const RECORD_TEMPLATE = 'cairn://{orgName}/{repoName}/{+wref}';

export const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [
  ...Object.entries(TEXTS).map(([name, { title, description, mimeType }]) => ({
    uriTemplate: `cairn://{orgName}/{repoName}/${name}`,
    ...{ name, title, description, mimeType },
  })),
  {
    uriTemplate: RECORD_TEMPLATE,
    name: 'record',
    title: 'Record',
    description: 'A record by its wref: Shape/name, Shape/name@v3, a shape by its name, or a durable ID.',
    mimeType: RECORD_TYPE,
  },
];

export async function listResources({ context }: McpCall, cursor: string | undefined): Promise<ListResourcesResult> {
  const given = cursor === undefined ? {} : { cursor };
  const { items, nextCursor } = await inProtocol(() => callProcedure(context, 'repo.list', given));
  const resources = items.map(({ orgName, name, displayName, description }) => ({
    uri: textUri({ orgName, repoName: name }, 'llms'),
    name: `${orgName}/${name}`,
    title: displayName,
    description: description || 'Overview of this repository.',
    mimeType: 'text/plain',
  }));
  return { resources, ...(nextCursor !== undefined && { nextCursor }) };
}

export async function readResource(call: McpCall, uri: string): Promise<ReadResourceResult> {
  return { contents: [await readContents(call, uri)] };
}

/** Hidden, missing and invalid addresses get the same answer. */
export async function readContents(call: McpCall, uri: string): Promise<TextResourceContents> {
  const address = parseUri(uri);
  if (address === undefined) throw notFound(uri);
  return await inProtocol(async () => {
    try {
      return { uri, ...(await readAt(call, address)) };
    } catch (error) {
      throw namesNothing(toolErrorOf(error)) ? notFound(uri) : error;
    }
  });
}

function namesNothing({ code }: CairnError): boolean {
  return code === 'NOT_FOUND' || code === 'TARGET_NOT_FOUND' || code === 'VALIDATION_ERROR';
}

function notFound(uri: string): ResourceNotFoundError {
  const advice = 'See resources/templates/list for the forms of addresses, and repo_list for repositories.';
  return new ResourceNotFoundError(shortened(uri), `The resource does not exist, or you may not read it. ${advice}`);
}

function parseUri(uri: string): (RepositoryAddress & { path: string }) | undefined {
  const [, orgName, repoName, path] = /^cairn:\/\/([^/]+)\/([^/]+)\/(.+)$/.exec(uri) ?? [];
  if (orgName === undefined || repoName === undefined || path === undefined) return undefined;
  try {
    return { orgName, repoName, path: decodeURIComponent(path) };
  } catch {
    return undefined;
  }
}

async function readAt({ context }: McpCall, { path, ...address }: RepositoryAddress & { path: string }) {
  const text = Object.hasOwn(TEXTS, path) ? TEXTS[path] : undefined;
  if (text === undefined) {
    const record = await callProcedure(context, 'thing.get', { ...address, wref: path });
    return { mimeType: RECORD_TYPE, text: JSON.stringify(record) };
  }
  const { file, mimeType } = text;
  const raw = await readRawContent(context, { ...address, file, atRepoSeq: undefined, ifNoneMatch: undefined });
  return { mimeType, text: raw.text ?? '' };
}

export function textUri({ orgName, repoName }: RepositoryAddress, name: 'llms' | 'readme' | 'agents'): string {
  return `cairn://${orgName}/${repoName}/${name}`;
}
