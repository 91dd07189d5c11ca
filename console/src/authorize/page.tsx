import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RequestError } from '../api/errors.ts';
import { tokensQuery } from '../profile/queries.ts';
import { Failure } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Page } from '../ui/Page.tsx';
import s from './authorize.module.css';
import { Consent } from './Consent.tsx';
import { type Asked, previewQuery } from './queries.ts';

/** Asks the user whether a program may act on their behalf. Programs open this page, or show a code that is entered here. */
export function AuthorizePage() {
  // The URL as the program wrote it. The server reads it.
  const [query] = useState(() => location.search.slice(1));
  const parameters = new URLSearchParams(query);
  const [entered, setEntered] = useState<string>();
  const asked = parameters.has('client_id')
    ? { query }
    : entered === undefined
      ? undefined
      : { userCode: entered };
  if (asked)
    return <Request asked={asked} onOtherCode={'query' in asked ? undefined : () => setEntered(undefined)} />;
  return (
    <Page title="Connect a program">
      <div className={s.body}>
        <EnterCode initial={parameters.get('user_code') ?? ''} onEntered={setEntered} />
      </div>
    </Page>
  );
}

/** A link can fill the field, but never submit it: whoever sends the link would get the token. */
function EnterCode({ initial, onEntered }: { initial: string; onEntered(code: string): void }) {
  const [code, setCode] = useState(initial.slice(0, 20));
  return (
    <Form
      onSubmit={() => onEntered(code)}
      actions={
        <Button type="submit" variant="filled" disabled={code.trim() === ''}>
          Continue
        </Button>
      }
    >
      <TextInput
        label="Code"
        description="The eight letters that the command line shows. Never enter a code that somebody sent you."
        placeholder="BCDF-GHJK"
        maxLength={20}
        autoComplete="off"
        spellCheck={false}
        value={code}
        onChange={event => setCode(event.target.value)}
      />
    </Form>
  );
}

function Request({ asked, onOtherCode }: { asked: Asked; onOtherCode: (() => void) | undefined }) {
  const preview = useQuery(previewQuery(asked));
  const { data: tokens } = useQuery(tokensQuery);
  const { data, error } = preview;
  if (data && tokens)
    return <Consent asked={asked} preview={data} taken={tokens.map(one => one.description)} />;
  return (
    <Page title="Connect a program">
      <div className={s.body}>
        {error instanceof RequestError && error.status >= 400 && error.status < 500 ? (
          <div role="alert" className={s.body}>
            <p>{error.message}</p>
            <p>Nothing was granted. Start again in the program.</p>
          </div>
        ) : (
          error && <Failure error={error} onRetry={() => void preview.refetch()} />
        )}
        {error && onOtherCode && (
          <div>
            <Button onClick={onOtherCode}>Enter a different code</Button>
          </div>
        )}
      </div>
    </Page>
  );
}
