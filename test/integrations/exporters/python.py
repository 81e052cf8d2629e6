"""Sends odd log records with the exporter of OpenTelemetry for Python, which the environment configures."""

import sys

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

provider = LoggerProvider(resource=Resource.create({"service.name": "odd"}))
provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
logger = provider.get_logger("odd", "1")
logger.emit(
    LogRecord(
        timestamp=1795000000123456789,
        severity_number=SeverityNumber.WARN,
        severity_text="WARN",
        body={"list": [1, None, "a"], "map": {}},
        attributes={
            "text": "Žluťoučký 😀\0",
            "integer": 9223372036854775807,
            "double": 12.5,
            "boolean": False,
            "bytes": b"\x00\x01\xff",
            "list": ["a", "b"],
        },
    )
)
logger.emit(LogRecord(event_name="empty"))
sys.exit(0 if provider.force_flush() is not False else 1)
