import { useQuery } from '@tanstack/react-query';
import { KeyRound, Layers, type LucideIcon, Shapes, User } from 'lucide-react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { tokensQuery } from '../api-tokens/queries.ts';
import { segmentsQuery } from '../features/queries.ts';
import { peopleQuery } from '../groups/queries.ts';
import { nameOf } from '../users/words.ts';
import { environmentsQuery } from './queries.ts';

export type Thing = { to: string; label: string; kind: string; icon: LucideIcon };

const MAX_OF_KIND = 5;

/** People, segments, environments and API tokens whose names contain the text, as far as the user may read them. */
export function usePaletteThings(text: string): Thing[] {
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
  const words = text.toLowerCase();
  const found = (things: Thing[]): Thing[] =>
    things.filter(({ label }) => label.toLowerCase().includes(words)).slice(0, MAX_OF_KIND);
  return [
    // The server also compares email addresses.
    ...(users.data ?? []).slice(0, MAX_OF_KIND).map(user => ({
      to: `/admin/users?user=${user.id}`,
      label: nameOf(user),
      kind: 'User',
      icon: User,
    })),
    ...found(
      (segments.data?.segments ?? []).map(({ id, name }) => ({
        to: `/admin/segments/${id}`,
        label: name,
        kind: 'Segment',
        icon: Shapes,
      })),
    ),
    ...found(
      (environments.data?.environments ?? []).map(({ name }) => ({
        to: `/admin/environments?edit=${encodeURIComponent(`environment:${name}`)}`,
        label: name,
        kind: 'Environment',
        icon: Layers,
      })),
    ),
    ...found(
      (tokens.data ?? []).map(({ id, tokenName }) => ({
        to: `/admin/tokens?token=${id}`,
        label: tokenName,
        kind: 'API token',
        icon: KeyRound,
      })),
    ),
  ];
}
