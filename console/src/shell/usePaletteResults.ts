import { useQuery } from '@tanstack/react-query';
import { KeyRound, Layers, type LucideIcon, Shapes, User } from 'lucide-react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { tokensQuery } from '../api-tokens/queries.ts';
import { segmentsQuery } from '../features/queries.ts';
import { peopleQuery } from '../groups/queries.ts';
import { getDisplayName } from '../ui/words.ts';
import { environmentsQuery } from './queries.ts';

export type PaletteItem = { to: string; label: string; kind: string; icon: LucideIcon };

const MAX_RESULTS_PER_KIND = 5;

/** Finds the people, segments, environments and API tokens that the user may read and whose names contain the text. */
export function usePaletteResults(text: string): PaletteItem[] {
  const me = useMe();
  const isSearch = text.length >= 2;
  const mayReadUsers = can(me, 'getUsers');
  const mayReadTokens = can(me, 'getApiTokens');
  const users = useQuery({ ...peopleQuery(text), enabled: isSearch && mayReadUsers });
  const segments = useQuery({ ...segmentsQuery, enabled: isSearch });
  const environments = useQuery({ ...environmentsQuery, enabled: isSearch });
  const tokens = useQuery({
    ...tokensQuery(undefined),
    enabled: isSearch && mayReadTokens,
    refetchInterval: false,
    staleTime: 30_000,
  });
  if (!isSearch) return [];
  const searchText = text.toLowerCase();
  const findMatches = (items: PaletteItem[]): PaletteItem[] =>
    items.filter(({ label }) => label.toLowerCase().includes(searchText)).slice(0, MAX_RESULTS_PER_KIND);
  return [
    // Not filtered by label, because the server also finds users by email address.
    ...(users.data ?? []).slice(0, MAX_RESULTS_PER_KIND).map(user => ({
      to: `/admin/users?user=${user.id}`,
      label: getDisplayName(user),
      kind: 'User',
      icon: User,
    })),
    ...findMatches(
      (segments.data?.segments ?? []).map(({ id, name }) => ({
        to: `/admin/segments/${id}`,
        label: name,
        kind: 'Segment',
        icon: Shapes,
      })),
    ),
    ...findMatches(
      (environments.data?.environments ?? []).map(({ name }) => ({
        to: `/admin/environments?edit=${encodeURIComponent(`environment:${name}`)}`,
        label: name,
        kind: 'Environment',
        icon: Layers,
      })),
    ),
    ...findMatches(
      (tokens.data ?? []).map(({ id, tokenName }) => ({
        to: `/admin/tokens?token=${id}`,
        label: tokenName,
        kind: 'API token',
        icon: KeyRound,
      })),
    ),
  ];
}
