import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { contextQuery } from '../features/queries.ts';
import { Can } from '../ui/Can.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { Page } from '../ui/Page.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { bodyOf, emptyDraft, problemsOf } from './draft.ts';
import { createSegment } from './queries.ts';
import { SegmentForm } from './SegmentForm.tsx';
import { fieldsOf } from './segment.tsx';
import s from './segments.module.css';

/** Creates a segment. */
export function NewSegmentPage() {
  const navigate = useNavigate();
  const { draft, change, isChanged, forget } = useDraft('new-segment', emptyDraft);
  const fields = fieldsOf(useQuery(contextQuery).data ?? [], draft.project);
  const create = useMutation({
    mutationFn: () => createSegment(bodyOf(draft)),
    onSuccess: async ({ id, name }) => {
      forget();
      await navigate({
        to: '/admin/segments/$segmentId',
        params: { segmentId: String(id) },
        ignoreBlocker: true,
      });
      toast({ message: `Created ${name}.` });
    },
  });
  const { question } = useUnsaved(isChanged && !create.isSuccess, forget);
  return (
    <Page
      title="New segment"
      crumbs={
        <>
          <Link to="/admin/segments">Segments</Link> / New segment
        </>
      }
    >
      <FormAndEffect
        as="page"
        title="Effect"
        onSubmit={() => create.mutate()}
        form={
          <SegmentForm
            draft={draft}
            fields={fields}
            error={create.error}
            disabled={create.isPending}
            onChange={part => {
              change(part);
              if (create.isError) create.reset();
            }}
          />
        }
        actions={
          <>
            <Can call="createSegment" {...(draft.project && { project: draft.project })}>
              <Button
                type="submit"
                variant="filled"
                loading={create.isPending}
                disabled={problemsOf(draft, fields).length > 0}
              >
                Create segment
              </Button>
            </Can>
            <Button component={Link} to="/admin/segments">
              Cancel
            </Button>
          </>
        }
      >
        <RailSection title="Creating affects">
          <p className={s.words}>No flag, until a strategy uses the segment.</p>
        </RailSection>
      </FormAndEffect>
      {question}
    </Page>
  );
}
