import { ActionIcon, Tooltip } from '@mantine/core';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyLink } from './Copy.tsx';
import s from './Split.module.css';
import { useShortcuts } from './shortcuts.ts';

/** A list at the left and the selected row at the right. On a narrow screen the detail covers the list. */
export function Split({
  list,
  detail,
  wide,
  narrow,
}: {
  list: ReactNode;
  detail?: ReactNode;
  wide?: boolean;
  /** A detail with short lines leaves more space for the list. */
  narrow?: boolean;
}) {
  return (
    <div
      className={s.split}
      data-detail={detail ? '' : undefined}
      data-wide={wide || undefined}
      data-narrow={narrow || undefined}
    >
      <div className={s.list}>{list}</div>
      {detail}
    </div>
  );
}

/** The right side of a Split: a bar with the position and buttons, and the content. Esc closes it. */
export function Detail({
  label,
  bar,
  link,
  onNewer,
  onOlder,
  onClose,
  children,
}: {
  /** The name of the region, such as "Event 79". */
  label: string;
  bar: ReactNode;
  /** The path to copy, such as /events/79. */
  link?: string;
  onNewer?(): void;
  onOlder?(): void;
  onClose?(): void;
  children: ReactNode;
}) {
  useShortcuts([onClose && { keys: 'Escape', description: 'Close the details', run: onClose }]);
  return (
    <aside className={s.detail} aria-label={label}>
      <div className={s.bar}>
        {bar}
        <span className={s.buttons}>
          {onNewer && <BarButton label="Newer" keys="K" icon={<ChevronUp size={16} />} onClick={onNewer} />}
          {onOlder && <BarButton label="Older" keys="J" icon={<ChevronDown size={16} />} onClick={onOlder} />}
          {link !== undefined && <CopyLink path={link} />}
          {onClose && <BarButton label="Close" keys="Esc" icon={<X size={16} />} onClick={onClose} />}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={s.body} tabIndex={0} aria-label={`Details of ${label}`}>
        {children}
      </section>
    </aside>
  );
}

function BarButton({
  label,
  keys,
  icon,
  onClick,
}: {
  label: string;
  keys: string;
  icon: ReactNode;
  onClick(): void;
}) {
  return (
    <Tooltip label={`${label}  ${keys}`}>
      <ActionIcon aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
