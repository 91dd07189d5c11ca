import { Ref, SharedObject, Timestamp } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const Edge = SharedObject('Edge', {
  id: Type.String({
    description: 'Id of the edge, which it keeps in its data folder',
    examples: ['12.7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  }),
  tokenId: Type.Integer({ description: 'Id of the edge token', examples: [12] }),
  tokenName: Type.String({ description: 'Name of the edge token', examples: ['edge in Frankfurt'] }),
  environment: Type.String({ description: 'Environment that the edge serves', examples: ['production'] }),
  projects: Type.Array(Type.String(), {
    description: 'Projects that the edge serves. ["*"] for all projects',
    examples: [['*']],
  }),
  version: Type.String({ description: 'Version of the edge', examples: ['0.1.0'] }),
  revision: Type.Integer({ description: 'Revision that the edge serves', examples: [42] }),
  behind: Type.Integer({
    description: 'Number of revisions that the edge is behind. After the database was restored, all of them',
    examples: [0],
  }),
  age: Type.Number({
    description:
      'Seconds since the edge last confirmed that this revision was current. Keeps growing while the edge is silent',
    examples: [1.5],
  }),
  instances: Type.Integer({
    description: 'Number of SDK instances that the edge has seen',
    examples: [200],
  }),
  state: Type.String({
    description:
      '`connected` if it reported in the last 15 s, `stopped` if it reported that it was stopping, `silent` otherwise',
    enum: ['connected', 'silent', 'stopped'],
  }),
  createdAt: Timestamp('When the edge first reported'),
  seenAt: Timestamp('When the edge last reported'),
});
export type Edge = Static<typeof Edge>;

export const EdgeList = SharedObject('EdgeList', {
  edges: Type.Array(Ref(Edge), { description: 'The edges, by environment and token' }),
});
