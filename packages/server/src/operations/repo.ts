import type { Repository } from '@cairn/protocol/procedures';
import type { RepositoryAddress } from '../store/repository.ts';
import { authorize } from './access.ts';
import type { Context } from './context.ts';

export async function getRepo(context: Context, address: RepositoryAddress): Promise<Repository> {
  const grant = await authorize(context, address, 'repo:read');
  return grant.repository;
}
