/** A small line over time. Points are [seconds, value]. */
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
  const x = (time: number) => ((time - range[0]) / (range[1] - range[0])) * (width - 4);
  const y = (value: number) => height - 4 - (value / most) * (height - 8);
  const line = points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const [first, last] = [points[0], points.at(-1)];
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line class="spark-base" x1="0" y1={height - 1} x2={width} y2={height - 1} />
      {last && points.length === 1 && (
        <line
          class="spark-dot"
          x1={x(last[0]) - 0.01}
          x2={x(last[0])}
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
