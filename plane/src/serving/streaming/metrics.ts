import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Plain numbers, because incrementing a prom-client counter takes a microsecond, a tenth of the work for a stream. */
export type StreamCounts = { frames: number; bytes: number; hydrations: number; cutOff: number };

type Sizes = { open: () => number; waiting: () => number; limit: number };

/** Registers the metrics, and returns a function that records how long a change took to reach all streams. */
export function registerStreamMetrics(
  registry: Registry,
  counts: StreamCounts,
  { open, waiting, limit }: Sizes,
): (seconds: number) => void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  const counter = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  gauge('halyard_sdk_streams', 'Open SDK streams', open);
  gauge('halyard_sdk_streams_limit', 'Maximum number of open streams, HALYARD_MAX_STREAMS', () => limit);
  gauge('halyard_sdk_streams_waiting', 'Streams waiting for a hydration or other large frame', waiting);
  counter('halyard_sdk_stream_frames_total', 'Events sent to SDK streams', () => counts.frames);
  counter('halyard_sdk_stream_bytes_total', 'Bytes sent to SDK streams', () => counts.bytes);
  counter('halyard_sdk_stream_hydrations_total', 'Hydrations sent to streams', () => counts.hydrations);
  counter('halyard_sdk_streams_cut_off_total', 'Streams whose client read too slowly', () => counts.cutOff);
  const fanOut = new Histogram({
    name: 'halyard_sdk_stream_fan_out_seconds',
    help: 'Time from the arrival of a change in the process until it was sent to all streams of a scope',
    buckets: [0.005, 0.02, 0.1, 0.25, 0.5, 1, 2, 5],
    registers,
  });
  return seconds => fanOut.observe(seconds);
}
