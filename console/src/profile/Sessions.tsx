import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../ui/Confirm.tsx';
import { Failure } from '../ui/Failure.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { counted } from '../ui/words.ts';
import { endSession, endSessions, sessionsQuery } from './queries.ts';
import { Row, Section } from './Section.tsx';
import { browserOf } from './words.ts';

/** The user's browser sessions. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({ mutationFn: endSession, onError: toastError });
  const others = (sessions.data ?? []).filter(({ current }) => !current);
  const endOthers = async () => {
    await endSessions(others.map(({ id }) => id));
    toast({ message: `${counted(others.length, 'session')} ended.` });
  };
  return (
    <Section
      title="Sessions"
      action={others.length > 0 && <Button onClick={() => setAsking(true)}>End all other sessions…</Button>}
    >
      {sessions.error && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data?.map(({ id, method, userAgent, ip, createdAt, seenAt, current }) => (
        <Row
          key={id}
          title={browserOf(userAgent)}
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
              aria-label={`End the session of ${browserOf(userAgent)}, ${ip}`}
              onClick={() => end.mutate(id)}
            >
              End
            </Button>
          )}
        </Row>
      ))}
      <Confirm
        opened={isAsking}
        title="End all other sessions?"
        action={`End ${counted(others.length, 'session')}`}
        danger
        onConfirm={endOthers}
        onClose={() => setAsking(false)}
      >
        <p>You stay logged in here. Personal tokens keep working.</p>
      </Confirm>
    </Section>
  );
}
