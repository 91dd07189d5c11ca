import { useState } from 'react';
import s from './Chart.module.css';
import type { Tone } from './State.tsx';

export type Bar = {
  /** The group, such as 2026-11-08. */
  key: string;
  /** The tooltip text: "8 Nov: 812 events". */
  label: string;
  value: number;
  /** A second part on top of the first, in the failure color. */
  bad?: number;
};

/**
 * Bars of equal width, such as events per day. `isOn` marks the bars within the filter. Dragging over bars or clicking
 * one calls `onRange`. `summary` describes the chart to screen readers.
 */
export function Bars({
  bars,
  summary,
  ticks,
  tone = 'count',
  height = 44,
  isOn,
  onRange,
}: {
  bars: readonly Bar[];
  summary: string;
  /** Labels under the chart, from left to right. */
  ticks?: readonly string[];
  /** `count`: gray and accent. `good`: green, for outcomes. `usage`: green, and gray for the second part. */
  tone?: 'count' | 'good' | 'usage';
  height?: number;
  isOn?(key: string): boolean;
  onRange?(first: string, last: string): void;
}) {
  const [startIndex, setStart] = useState<number>();
  const [hoveredIndex, setHoveredIndex] = useState<number>();
  const max = Math.max(1, ...bars.map(bar => bar.value + (bar.bad ?? 0)));
  const isWithinRange = (index: number): boolean =>
    startIndex !== undefined &&
    hoveredIndex !== undefined &&
    index >= Math.min(startIndex, hoveredIndex) &&
    index <= Math.max(startIndex, hoveredIndex);
  const endRange = (index: number) => {
    const [first, last] = [
      bars[Math.min(startIndex ?? index, index)],
      bars[Math.max(startIndex ?? index, index)],
    ];
    setStart(undefined);
    if (first && last) onRange?.(first.key, last.key);
  };
  return (
    <figure className={s.chart} aria-label={summary} data-tone={tone}>
      <svg
        viewBox={`0 0 ${bars.length * 10} 100`}
        preserveAspectRatio="none"
        style={{ height }}
        aria-hidden="true"
        onPointerLeave={() => setStart(undefined)}
      >
        {bars.map((bar, index) => {
          const good = (bar.value / max) * 98;
          const bad = ((bar.bad ?? 0) / max) * 98;
          return (
            <g
              key={bar.key}
              data-on={isOn?.(bar.key) || undefined}
              data-within={isWithinRange(index) || undefined}
              data-clickable={onRange ? '' : undefined}
              onPointerDown={() => {
                if (!onRange) return;
                setStart(index);
                setHoveredIndex(index);
              }}
              onPointerEnter={() => setHoveredIndex(index)}
              onPointerUp={() => onRange && endRange(index)}
            >
              <title>{bar.label}</title>
              <rect x={index * 10} width={10} y={0} height={100} className={s.area} />
              <rect x={index * 10 + 1} width={8} y={100 - good} height={good} rx={1.2} className={s.value} />
              {bad > 0 && (
                <rect
                  x={index * 10 + 1}
                  width={8}
                  y={99 - good - bad}
                  height={bad}
                  rx={1.2}
                  className={s.bad}
                />
              )}
            </g>
          );
        })}
      </svg>
      {ticks && (
        <figcaption>
          {ticks.map(tick => (
            <span key={tick}>{tick}</span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}

/** A line with a filled area, such as the health of a project over days. At most 366 points. */
export function Area({
  points,
  summary,
  ticks,
  max = 100,
  height = 120,
}: {
  points: readonly { key: string; label: string; value: number }[];
  summary: string;
  ticks?: readonly string[];
  max?: number;
  height?: number;
}) {
  const width = Math.max(1, points.length - 1);
  const line = points.map((point, x) => `${x},${(100 - (point.value / max) * 100).toFixed(2)}`).join(' ');
  return (
    <figure className={s.chart} aria-label={summary}>
      <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" style={{ height }} aria-hidden="true">
        <polygon points={`0,100 ${line} ${width},100`} className={s.fill} />
        <polyline points={line} className={s.line} vectorEffect="non-scaling-stroke" />
        {points.map((point, x) => (
          <rect key={point.key} x={x - 0.5} width={1} y={0} height={100} className={s.area}>
            <title>{point.label}</title>
          </rect>
        ))}
      </svg>
      {ticks && (
        <figcaption>
          {ticks.map(tick => (
            <span key={tick}>{tick}</span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}

/** A score from 0 to 100 as a ring. With `after`, a second, paler arc shows a future score, such as the one after all fixes. */
export function Ring({
  value,
  tone,
  after,
  label,
  size = 132,
}: {
  value: number;
  tone: Tone;
  after?: number;
  label: string;
  size?: number;
}) {
  const length = 2 * Math.PI * 44;
  const dash = (share: number) => `${(Math.min(100, share) / 100) * length} ${length}`;
  return (
    <div
      className={s.ring}
      style={{ width: size, height: size }}
      role="img"
      aria-label={label}
      data-tone={tone}
    >
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle cx={50} cy={50} r={44} className={s.track} />
        {after !== undefined && (
          <circle cx={50} cy={50} r={44} className={s.after} strokeDasharray={dash(after)} />
        )}
        <circle cx={50} cy={50} r={44} className={s.arc} strokeDasharray={dash(value)} />
      </svg>
      <b aria-hidden="true">{Math.round(value)}</b>
    </div>
  );
}
