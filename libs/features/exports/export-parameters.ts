import { IsIn } from 'class-validator';
import type { HasCrossFieldCheck } from '#http';
import { ConsistentEventReadParameters } from '#features/events';
import { Flag, Parameter } from '#gateway-kit';

/** The file formats of an export. */
export const exportFormats = ['parquet', 'arrow', 'ndjson', 'csv'] as const;

/** File format of an export of events. */
export type ExportFormat = (typeof exportFormats)[number];

/** Query parameters of `GET /api/v1/events/export`. */
export class EventExportParameters extends ConsistentEventReadParameters implements HasCrossFieldCheck {
  @IsIn(exportFormats)
  @Parameter('The format of the answer.', 'parquet')
  format: ExportFormat = 'ndjson';

  @Flag(
    'In CSV: puts an apostrophe before each character that could start a spreadsheet formula. Without ' +
      'it, the text is exact.',
  )
  csv_safe = false;
}
