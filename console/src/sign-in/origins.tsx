import { Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messagesWithoutField, RequestError } from '../api/errors.ts';
import { useMissingPermissions } from '../api/me.ts';
import { Conflict } from '../ui/Conflict.tsx';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { LastChange } from '../ui/LastChange.tsx';
import { findChange } from '../ui/last-change.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { SaveBar } from '../ui/SaveBar.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { toast } from '../ui/toasts.ts';
import { useEditor } from '../ui/useEditor.tsx';
import type { Version } from '../ui/versions.ts';
import { SignInFrame } from './Frame.tsx';
import { originsQuery, saveOrigins } from './queries.ts';
import { buildSettingSubject } from './subject.ts';

const SUBJECT = buildSettingSubject('cors');
const PATH = /^\/body\/frontendApiOrigins\/(\d+)/;

/** The origins as text, in which a line can be incomplete, and as the list that is saved. */
type Draft = { origins: string[]; text: string };

const toDraft = (origins: string[]): Draft => ({ origins, text: origins.join('\n') });
const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

/** The origins whose pages may read flags with a frontend SDK. */
export function OriginsPage() {
  const { data, error, refetch } = useQuery(originsQuery);
  return (
    <SignInFrame name="Frontend origins">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton />}
      {data && <Editor savedVersion={{ draft: toDraft(data.origins), etag: data.etag }} />}
    </SignInFrame>
  );
}

function Editor({ savedVersion }: { savedVersion: Version<Draft> }) {
  const client = useQueryClient();
  const missingPermissions = useMissingPermissions('setCorsOrigins');
  const read = async () => {
    const { origins, etag } = await client.fetchQuery({ ...originsQuery, staleTime: 0 });
    return { draft: toDraft(origins), etag };
  };
  const { draft, changes, change, error, conflict, confirmation, ...editor } = useEditor<Draft>({
    draftKey: 'sign-in:origins',
    current: savedVersion,
    read,
    save: (sent, etag) => saveOrigins(sent.origins, etag),
    findChange: () => findChange(SUBJECT),
    onSaved: async () => {
      toast({ message: 'Origins saved. Every server applies them within a second.' });
      return await read();
    },
  });
  if (conflict)
    return (
      <>
        <Conflict noun="list of origins" {...conflict} />
        {confirmation}
      </>
    );
  const originChanges = changes.filter(({ path }) => path[0] === 'origins');
  return (
    <>
      <FormAndEffect
        as="page"
        title="Effect"
        onSubmit={editor.save}
        form={
          <>
            <FormErrors messages={messagesByLine(error).length > 0 ? [] : messagesWithoutField(error, [])} />
            <Textarea
              label="Origins of your pages, one per line"
              description="CORS origins: scheme and host, such as https://shop.example.com. A * allows every page."
              classNames={{ input: 'mono' }}
              rows={10}
              autoComplete="off"
              spellCheck={false}
              readOnly={missingPermissions.length > 0}
              value={draft.text}
              error={messagesByLine(error).join(' ')}
              onChange={({ target: { value } }) => change({ text: value, origins: splitLines(value) })}
            />
          </>
        }
        bar={
          originChanges.length > 0 && (
            <SaveBar
              changes={originChanges}
              missingPermissions={missingPermissions}
              pending={editor.isPending}
              disabled={missingPermissions.length > 0}
              onSave={editor.save}
              onDiscard={editor.discard}
            />
          )
        }
      >
        <RailSection title="Pages that may read flags">
          <p>
            {draft.origins.includes('*')
              ? 'Every page on the internet that has a frontend token.'
              : draft.origins.length === 0
                ? 'None. Frontend SDKs work only on pages of this server and outside browsers.'
                : 'Only pages of these origins that have a frontend token. Browsers block all others.'}
          </p>
        </RailSection>
        <LastChange subject={SUBJECT} />
      </FormAndEffect>
      {confirmation}
    </>
  );
}

/** Returns the messages about individual origins with their line numbers. */
const messagesByLine = (error: unknown): string[] =>
  error instanceof RequestError
    ? error.details.flatMap(({ path, message }) => {
        const index = path?.match(PATH)?.[1];
        return index === undefined
          ? []
          : [`Line ${Number(index) + 1}: ${message.replace(/^\S+\[?\d*\]? must/, 'must')}.`];
      })
    : [];
