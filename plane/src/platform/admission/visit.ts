import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Release } from './shares.ts';

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}

/** The resources that a request holds on this server, from its arrival until its response is sent or its client disconnects. */
export type Visit = {
  isGone: () => boolean;
  /** Releases this when the response is sent or the client disconnects. */
  hold: (release: Release) => void;
  /** Releases the slot among the running requests early, for long work that has its own shares. */
  releaseSlot: () => void;
  /** The slot among the running requests. */
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
  // A response sent over the network emits both.
  reply.raw.once('finish', end);
  reply.raw.once('close', end);
  const hold = (release: Release): void => {
    if (reply.raw.writableFinished || reply.raw.closed) release();
    else held.add(release);
  };
  return {
    isGone,
    hold,
    releaseSlot: () => place(),
    occupy: release => {
      place = release;
      hold(release);
    },
  };
}
