import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Release } from './shares.ts';

declare module 'fastify' {
  interface FastifyRequest {
    visit: AdmittedRequest;
  }
}

/** The resources that a request holds on this server, from its arrival until its response is sent or its client disconnects. */
export type AdmittedRequest = {
  isGone: () => boolean;
  /** Calls this function when the response is sent or the client disconnects. */
  hold: (release: Release) => void;
  /** Releases the request slot early, for long work that has its own shares. */
  releaseSlot: () => void;
  /** Holds the slot that every running request occupies. */
  occupy: (release: Release) => void;
};

export function admitRequest(request: FastifyRequest, reply: FastifyReply): AdmittedRequest {
  const releases = new Set<Release>();
  let slot: Release = () => {};
  const end = (): void => {
    for (const release of releases) release();
    releases.clear();
  };
  const isGone = (): boolean => reply.raw.destroyed || request.raw.socket?.destroyed === true;
  // A response that is sent over the network emits both events.
  reply.raw.once('finish', end);
  reply.raw.once('close', end);
  const hold = (release: Release): void => {
    if (reply.raw.writableFinished || reply.raw.closed) release();
    else releases.add(release);
  };
  return {
    isGone,
    hold,
    releaseSlot: () => slot(),
    occupy: release => {
      slot = release;
      hold(release);
    },
  };
}
