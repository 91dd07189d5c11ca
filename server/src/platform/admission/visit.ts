import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Release } from './shares.ts';

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}

/** What a request occupies on this server, from its arrival until its response is sent or its client disconnects. */
export type Visit = {
  isGone: () => boolean;
  /** Gives this back when the response is sent or the client disconnects. */
  hold: (release: Release) => void;
  /** Gives the place among the running requests back early. For long work, which has its own shares. */
  handBack: () => void;
  /** The place among the running requests. */
  occupy: (release: Release) => void;
};

export function makeVisit(request: FastifyRequest, reply: FastifyReply): Visit {
  const held = new Set<Release>();
  let place: Release = () => {};
  const end = (): void => {
    for (const release of held) release();
    held.clear();
  };
  const isGone = (): boolean => reply.raw.destroyed || request.raw.socket?.destroyed === true;
  // A response that is sent through the network emits both.
  reply.raw.once('finish', end);
  reply.raw.once('close', end);
  const hold = (release: Release): void => {
    if (reply.raw.writableFinished || reply.raw.closed) release();
    else held.add(release);
  };
  return {
    isGone,
    hold,
    handBack: () => place(),
    occupy: release => {
      place = release;
      hold(release);
    },
  };
}
