import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import s from './Tooltip.module.css';
import { useEachFrame } from './useEachFrame.ts';
import { cx } from './words.ts';

type Handlers = {
  onPointerEnter?(event: PointerEvent): void;
  onPointerLeave?(event: PointerEvent): void;
  onPointerDown?(event: PointerEvent): void;
  onFocus?(event: FocusEvent): void;
  onBlur?(event: FocusEvent): void;
  'aria-describedby'?: string;
};

const GAP_PX = 6;
/**
 * How long the pointer may take to cross the gap to the tooltip. People who magnify the screen move the pointer there to read the text.
 */
const CROSSING_MS = 100;

/** Hides the visible tooltip, because only one tooltip may be visible at a time. */
let hideVisible: (() => void) | undefined;
/** The control whose tooltip is shown, and a function that hides the tooltip. */
let shownTooltip: { target: Element; hide(): void } | undefined;

// Dialogs listen on the window too. This listener was added before any dialog's, so in a dialog Esc hides the tooltip first.
addEventListener(
  'keydown',
  event => {
    if (event.key !== 'Escape' || !shownTooltip) return;
    const { target, hide } = shownTooltip;
    if (target.closest('[role="dialog"]')) event.stopImmediatePropagation();
    // Cleared here rather than when React removes the tooltip, so that the next Esc closes the dialog even before that.
    shownTooltip = undefined;
    hide();
  },
  { capture: true },
);

/**
 * A tooltip, which appears while the pointer is on the control or, with `onFocus`, while the control has the focus. Esc hides the
 * tooltip. This component is hand-written because Mantine's would add 25 KB to every page, mostly for positioning.
 */
export function Tooltip({
  label,
  delay = 350,
  onFocus: showsOnFocus = false,
  clickThrough = false,
  children,
}: {
  label: ReactNode;
  /** Milliseconds before the tooltip appears. */
  delay?: number;
  onFocus?: boolean;
  /** Lets the pointer reach what the tooltip covers, for controls that are close together. */
  clickThrough?: boolean;
  /** An element that accepts these handlers. */
  children: ReactElement<object>;
}) {
  const id = useId();
  const [target, setTarget] = useState<Element>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const cancel = () => clearTimeout(timer.current);
  const runAfter = (wait: number, run: () => void) => {
    cancel();
    if (wait === 0) run();
    else timer.current = setTimeout(run, wait);
  };
  const hide = (wait = 0) => runAfter(wait, () => setTarget(undefined));
  const show = (element: Element, wait: number) =>
    runAfter(wait, () => {
      if (!element.isConnected) return;
      hideVisible?.();
      hideVisible = hide;
      setTarget(element);
    });
  useEffect(() => () => clearTimeout(timer.current), []);
  const child = children as ReactElement<Handlers>;
  const { props } = child;
  return (
    <>
      {cloneElement(child, {
        onPointerEnter: event => {
          props.onPointerEnter?.(event);
          // Touch shows no tooltip, because no pointer leaves the control afterwards to hide it.
          if (event.pointerType !== 'touch') show(event.currentTarget, delay);
        },
        onPointerLeave: event => {
          props.onPointerLeave?.(event);
          const hasFocus = event.currentTarget.matches(':focus-visible, :has(:focus-visible)');
          if (!showsOnFocus || !hasFocus) hide(clickThrough ? 0 : CROSSING_MS);
        },
        onPointerDown: event => {
          props.onPointerDown?.(event);
          if (!showsOnFocus) hide();
        },
        onFocus: event => {
          props.onFocus?.(event);
          if (showsOnFocus) show(event.currentTarget, 0);
        },
        onBlur: event => {
          props.onBlur?.(event);
          hide();
        },
        ...(target && { 'aria-describedby': [props['aria-describedby'], id].filter(Boolean).join(' ') }),
      })}
      {target && (
        <TooltipText
          id={id}
          target={target}
          clickThrough={clickThrough}
          onEnter={cancel}
          onLeave={() => hide(CROSSING_MS)}
          onEscape={hide}
        >
          {label}
        </TooltipText>
      )}
    </>
  );
}

/** Places the tooltip above the target, or below it if there is no space. */
function placeTooltip(box: HTMLElement, target: Element): void {
  const { left, right, top, bottom } = target.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const centeredLeft = (left + right - width) / 2;
  const topAbove = top - height - GAP_PX;
  box.style.left = `${Math.max(GAP_PX, Math.min(centeredLeft, innerWidth - width - GAP_PX))}px`;
  box.style.top = `${topAbove > 0 ? topAbove : bottom + GAP_PX}px`;
}

function TooltipText({
  id,
  target,
  clickThrough,
  onEnter,
  onLeave,
  onEscape,
  children,
}: {
  id: string;
  target: Element;
  clickThrough: boolean;
  onEnter(): void;
  onLeave(): void;
  onEscape(): void;
  children: ReactNode;
}) {
  const popover = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = popover.current;
    if (!box) return;
    // Chromium before 121 throws if the popover is already shown.
    if (!box.matches(':popover-open')) box.showPopover();
    placeTooltip(box, target);
  });
  useEachFrame(true, () => {
    if (popover.current) placeTooltip(popover.current, target);
  });
  // The cleanup of a layout effect runs as soon as the tooltip disappears. Otherwise, the next Esc could go to the old tooltip
  // instead of closing a dialog.
  useLayoutEffect(() => {
    const ownTooltip = { target, hide: onEscape };
    shownTooltip = ownTooltip;
    return () => {
      if (shownTooltip === ownTooltip) shownTooltip = undefined;
    };
  });
  useEffect(() => {
    // A label itself cannot have the focus, so its tooltip describes the field.
    const field = target.querySelector('input');
    field?.setAttribute('aria-describedby', id);
    return () => field?.removeAttribute('aria-describedby');
  }, [target, id]);
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: the handler only keeps clicks from reaching the row that contains the control
    <div
      ref={popover}
      id={id}
      role="tooltip"
      popover="manual"
      data-portal=""
      className={cx(s.words, clickThrough && s.through)}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
      onClick={event => event.stopPropagation()}
    >
      {children}
    </div>,
    document.body,
  );
}
