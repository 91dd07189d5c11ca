import { Check, CircleAlert, X } from 'lucide-react';
import { permissionName } from '../api/permission-words.ts';
import { Env } from '../ui/Env.tsx';
import { State, StateIcon } from '../ui/State.tsx';
import { formatCount } from '../ui/words.ts';
import s from './clone.module.css';
import { countMarks, type MarkedNode } from './plan.ts';
import type { ClonePlan } from './queries.ts';

/** Shows the plan of a clone, with the obstacles first, then the tree of its parts, then the permissions. */
export function Plan({
  plan,
  tree,
  isOutdated,
  isPrevious,
}: {
  plan: ClonePlan;
  tree: readonly MarkedNode[];
  /** Whether the server rejected the previous plan. The tree then marks the differences. */
  isOutdated: boolean;
  /** Whether the plan is for the previous input, because the new plan is still loading. */
  isPrevious: boolean;
}) {
  return (
    <div className={s.plan} data-previous={isPrevious || undefined}>
      {isOutdated && (
        <div className={s.outdated} role="alert">
          <b>The plan changed: {formatCount(countMarks(tree), 'difference')}.</b> Somebody has changed the
          source or the project since the previous plan, so nothing was copied. Check the marked lines, then
          clone.
        </div>
      )}
      <Obstacles obstacles={plan.obstacles} />
      <h3>Parts</h3>
      <Nodes nodes={tree} top />
      <h3>Permissions</h3>
      <ul className={s.permissions}>
        {plan.permissions.map(({ permission, environment, held }) => (
          <li key={`${permission} ${environment}`}>
            <StateIcon
              tone={held ? 'on' : 'bad'}
              label={held ? 'Granted' : 'Missing'}
              icon={held ? <Check size={13} /> : <X size={13} />}
            />
            <span title={permission}>{permissionName(permission)}</span>
            {environment !== null && <Env name={environment} />}
            {!held && <State tone="bad">Missing</State>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Obstacles({ obstacles }: { obstacles: ClonePlan['obstacles'] }) {
  if (obstacles.length === 0) return null;
  return (
    <section className={s.obstacles} aria-label="Obstacles">
      <h3>
        <CircleAlert size={15} aria-hidden="true" /> {formatCount(obstacles.length, 'obstacle')}
      </h3>
      <ul>
        {obstacles.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </section>
  );
}

const MARK_LABELS = { new: 'New', changed: 'Changed', removed: 'Removed' } as const;
const MARK_TONES = { new: 'on', changed: 'warn', removed: 'bad' } as const;

function Nodes({ nodes, top }: { nodes: readonly MarkedNode[]; top?: boolean }) {
  return (
    <ul className={top ? s.tree : s.branch}>
      {nodes.map(node => (
        <li key={node.key}>
          <div className={s.node} data-mark={node.mark}>
            <Line node={node} top={top} />
            {node.mark && <State tone={MARK_TONES[node.mark]}>{MARK_LABELS[node.mark]}</State>}
            {node.mark === 'changed' && node.previousText !== undefined && (
              <span className="muted">was {node.previousText}</span>
            )}
            {node.reason !== undefined && <span className={s.reason}>{node.reason}</span>}
          </div>
          {node.children.length > 0 && <Nodes nodes={node.children} />}
        </li>
      ))}
    </ul>
  );
}

function Line({ node, top }: { node: MarkedNode; top?: boolean }) {
  const isEnvironment = node.key.startsWith('environment ');
  const content = (
    <>
      <b className={top ? 'mono' : undefined}>{isEnvironment ? <Env name={node.label} /> : node.label}</b>
      {node.text !== undefined && <span> {node.text}</span>}
    </>
  );
  return node.reason !== undefined || node.mark === 'removed' ? <del>{content}</del> : <span>{content}</span>;
}
