import type { ApiToken } from '../api-tokens/queries.ts';
import type { Edge } from './queries.ts';

/** A row on the page: an edge, or an enrolment that no edge has reported with in the last day. */
export type EdgeRow = Pick<Edge, 'id' | 'tokenId' | 'tokenName' | 'environment' | 'projects'> & {
  state: Edge['state'] | 'none';
  /** The edge's last report. */
  edge?: Edge;
};

const ID_PREFIX = 'token:';

/** Returns an enrolment's row id, which is valid until the enrolment's first edge reports. */
export const toRowId = (tokenId: number): string => ID_PREFIX + tokenId;

/** Lists all edges, and the enrolments without an edge. */
export function listEdgeRows(edges: readonly Edge[], tokens: readonly ApiToken[]): EdgeRow[] {
  const usedTokenIds = new Set(edges.map(({ tokenId }) => tokenId));
  return [
    ...edges.map(edge => ({ ...edge, edge })),
    ...tokens
      .filter(({ id, type }) => type === 'edge' && !usedTokenIds.has(id))
      .map(({ id, tokenName, environment, projects }) => ({
        id: toRowId(id),
        tokenId: id,
        tokenName,
        environment: environment ?? '',
        projects,
        state: 'none' as const,
      })),
  ];
}

/** Finds the selected row. Once the first edge reports, its row replaces the row of the enrolment. */
export const findSelected = (rows: readonly EdgeRow[] | undefined, id: unknown): EdgeRow | undefined =>
  rows?.find(row => row.id === id) ?? rows?.find(({ tokenId }) => toRowId(tokenId) === id);
