import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../ui/Confirm.tsx';
import { Failure } from '../ui/Failure.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { formatCount } from '../ui/words.ts';
import { endSession, endSessions, sessionsQuery } from './queries.ts';
import { Row, Section } from './Section.tsx';
import { parseBrowser } from './words.ts';

/** The user's browser sessions. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const [isConfirming, setConfirming] = useState(false);
  const end = useMutation({ mutationFn: endSession, onError: toastError });
  const otherSessions = (sessions.data ?? []).filter(({ current }) => !current);
  const endOthers = async () => {
    await endSessions(otherSessions.map(({ id }) => id));
    toast({ message: `${formatCount(otherSessions.length, 'session')} ended.` });
  };
  return (
    <Section
      title="Sessions"
      action={
        otherSessions.length > 0 && (
          <Button onClick={() => setConfirming(true)}>End all other sessions…</Button>
        )
      }
    >
      {sessions.error && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data?.map(({ id, method, userAgent, ip, createdAt, seenAt, current }) => (
        <Row
          key={id}
          title={parseBrowser(userAgent)}
          note={
            <>
              {ip} · {method === 'oidc' ? 'single sign-on' : method}, logged in <Time at={createdAt} /> · seen{' '}
              <Time at={seenAt} />
            </>
          }
        >
          {current ? (
            <State tone="on">This session</State>
          ) : (
            <Button
              aria-label={`End the session of ${parseBrowser(userAgent)}, ${ip}`}
              onClick={() => end.mutate(id)}
            >
              End
            </Button>
          )}
        </Row>
      ))}
      <Confirm
        opened={isConfirming}
        title="End all other sessions?"
        action={`End ${formatCount(otherSessions.length, 'session')}`}
        danger
        onConfirm={endOthers}
        onClose={() => setConfirming(false)}
      >
        <p>You stay logged in here. Personal tokens keep working.</p>
      </Confirm>
    </Section>
  );
}
