/** A small line over time, from 0 to its largest value. Points are [seconds, value]; those before the range are cut off. */
export function Sparkline({
  points,
  range,
  label,
}: {
  points: readonly (readonly [number, number])[];
  range: readonly [number, number];
  label: string;
}) {
  const [width, height] = [240, 48];
  const most = Math.max(1e-9, ...points.map(([, value]) => value));
  const x = (time: number) => ((time - range[0]) / (range[1] - range[0])) * width;
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  const line = points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const [first, last] = [points[0], points.at(-1)];
  // A line that is only some pixels long is hard to see.
  const hasDot = first && last && x(last[0]) - x(first[0]) < 4;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {hasDot && (
        <line
          class="spark-dot"
          x1={x(last[0]) - 3.01}
          x2={x(last[0]) - 3}
          y1={y(last[1])}
          y2={y(last[1])}
          vector-effect="non-scaling-stroke"
        />
      )}
      {first && last && points.length > 1 && (
        <>
          <polygon class="spark-area" points={`${x(first[0])},${height} ${line} ${x(last[0])},${height}`} />
          <polyline class="spark-line" points={line} vector-effect="non-scaling-stroke" />
        </>
      )}
    </svg>
  );
}
