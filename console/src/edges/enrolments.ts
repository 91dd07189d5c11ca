import type { ApiToken } from '../api-tokens/queries.ts';
import type { Edge } from './queries.ts';

/** A row of the page: an edge, or an enrolment with which no edge has reported in the last day. */
export type Enrolment = Pick<Edge, 'id' | 'tokenId' | 'tokenName' | 'environment' | 'projects'> & {
  state: Edge['state'] | 'none';
  /** What the edge reported. */
  edge?: Edge;
};

const START = 'token:';

/** The id of the row that an enrolment has until its first edge reports. */
export const idOfToken = (tokenId: number): string => START + tokenId;

/** All edges, and the enrolments without one. */
export function enrolmentsOf(edges: readonly Edge[], tokens: readonly ApiToken[]): Enrolment[] {
  const used = new Set(edges.map(({ tokenId }) => tokenId));
  return [
    ...edges.map(edge => ({ ...edge, edge })),
    ...tokens
      .filter(({ id, type }) => type === 'edge' && !used.has(id))
      .map(({ id, tokenName, environment, projects }) => ({
        id: idOfToken(id),
        tokenId: id,
        tokenName,
        environment: environment ?? '',
        projects,
        state: 'none' as const,
      })),
  ];
}

/** The selected row. The row of an enrolment becomes that of its first edge. */
export const selectedOf = (rows: readonly Enrolment[] | undefined, id: unknown): Enrolment | undefined =>
  rows?.find(row => row.id === id) ?? rows?.find(({ tokenId }) => idOfToken(tokenId) === id);
