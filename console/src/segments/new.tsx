import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { contextQuery } from '../features/queries.ts';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { Page } from '../ui/Page.tsx';
import { RailSection } from '../ui/RailSection.tsx';
import { toast } from '../ui/toasts.ts';
import { useCreation } from '../ui/useCreation.ts';
import { useFilters } from '../ui/useFilters.ts';
import { emptyDraft, findProblems, toBody } from './draft.ts';
import { createSegment } from './queries.ts';
import { SegmentForm } from './SegmentForm.tsx';
import { filterFields } from './segment.tsx';
import s from './segments.module.css';

/** Creates a segment. */
export function NewSegmentPage() {
  const navigate = useNavigate();
  const { search } = useFilters();
  const project = typeof search.project === 'string' ? search.project : '';
  const list = project === '' ? '/admin/segments' : `/projects/${project}/segments`;
  const { draft, edit, submit, error, isPending, unsaved } = useCreation({
    draftKey: project === '' ? 'new-segment' : `new-segment:${project}`,
    empty: { ...emptyDraft, project },
    send: sent => createSegment(toBody(sent)),
    onSent: async ({ id, name }) => {
      await navigate({
        to: '/admin/segments/$segmentId',
        params: { segmentId: String(id) },
        ignoreBlocker: true,
      });
      toast({ message: `Created ${name}.` });
    },
  });
  const fields = filterFields(useQuery(contextQuery).data ?? [], draft.project);
  return (
    <Page title="New segment" crumbs={<Link to={list}>Segments</Link>}>
      <FormAndEffect
        as="page"
        title="Effect"
        onSubmit={submit}
        form={
          <SegmentForm draft={draft} fields={fields} error={error} disabled={isPending} onChange={edit} />
        }
        creation={{
          action: 'Create segment',
          call: 'createSegment',
          project: draft.project,
          pending: isPending,
          problems: findProblems(draft, fields),
          cancel: list,
        }}
      >
        <RailSection title="Affected flags">
          <p className={s.words}>None until a strategy uses the segment.</p>
        </RailSection>
      </FormAndEffect>
      {unsaved.confirmation}
    </Page>
  );
}
