-- The ClickHouse users of the apps and of analysts' statements. Written by npm run format:settings. Run it as an administrator:
--   clickhouse-client --param_tributary_password=… --param_sql_password=… --queries-file clickhouse-users.sql
CREATE USER IF NOT EXISTS tributary IDENTIFIED BY {tributary_password:String};
GRANT CHECK, SHOW, SELECT, INSERT, ALTER, TRUNCATE, OPTIMIZE, DROP, UNDROP TABLE, KILL QUERY ON *.* TO tributary;
GRANT CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE ON *.* TO tributary;
GRANT SYSTEM MERGES, SYSTEM JEMALLOC ON *.* TO tributary;
GRANT TABLE ENGINE ON MergeTree TO tributary;
GRANT TABLE ENGINE ON ReplacingMergeTree TO tributary;
GRANT TABLE ENGINE ON SummingMergeTree TO tributary;
GRANT TABLE ENGINE ON AggregatingMergeTree TO tributary;
GRANT TABLE ENGINE ON Memory TO tributary;
GRANT TABLE ENGINE ON Null TO tributary;
CREATE SETTINGS PROFILE IF NOT EXISTS tributary_analysts;
ALTER SETTINGS PROFILE tributary_analysts SETTINGS readonly = 1, allow_get_client_http_header = '1' CONST, final = '1' CONST, apply_deleted_mask = '1' CONST, do_not_merge_across_partitions_select_final = '1' CONST, query_plan_merge_filters = '0' CONST, query_plan_filter_push_down = '0' CONST, optimize_move_to_prewhere = '0' CONST, query_plan_optimize_prewhere = '0' CONST, type_json_skip_duplicated_paths = '1' CONST, use_query_condition_cache = '0' CONST, timeout_overflow_mode = 'throw' CONST, read_overflow_mode = 'throw' CONST, result_overflow_mode = 'throw' CONST, cancel_http_readonly_queries_on_client_close = '1' CONST, output_format_write_statistics = '0' CONST, additional_table_filters CHANGEABLE_IN_READONLY, log_comment CHANGEABLE_IN_READONLY, max_execution_time CHANGEABLE_IN_READONLY, max_rows_to_read CHANGEABLE_IN_READONLY, max_memory_usage CHANGEABLE_IN_READONLY, max_result_rows CHANGEABLE_IN_READONLY, max_result_bytes CHANGEABLE_IN_READONLY, function_range_max_elements_in_block CHANGEABLE_IN_READONLY, max_temporary_data_on_disk_size_for_query CHANGEABLE_IN_READONLY;
CREATE USER IF NOT EXISTS sql IDENTIFIED BY {sql_password:String};
ALTER USER sql SETTINGS PROFILE 'tributary_analysts';
GRANT SELECT ON `tributary_sql`.* TO sql;
GRANT SELECT ON information_schema.* TO sql;
GRANT SELECT ON INFORMATION_SCHEMA.* TO sql;
GRANT SELECT(database, table, active, primary_key_size, marks_bytes, secondary_indices_compressed_bytes, secondary_indices_marks_bytes) ON system.parts TO sql;
GRANT SELECT ON `tributary`.events TO sql;
GRANT SELECT ON `tributary`.dropped_streams TO sql;
GRANT SELECT ON `tributary`.projection_results TO sql;
CREATE ROW POLICY OR REPLACE tributary_analysts ON tributary.events USING (stream IN (SELECT arrayJoin(splitByChar(',', getClientHTTPHeader('x-tributary-streams'))) AS listed) OR arrayExists(prefix -> prefix != '' AND startsWith(stream, substring(prefix, 1, length(prefix) - 1)), splitByChar(',', getClientHTTPHeader('x-tributary-stream-prefixes')))) AND NOT startsWith(stream, 'tributary.') TO sql;
CREATE ROW POLICY OR REPLACE tributary_others ON tributary.events USING 1 TO ALL EXCEPT sql;
CREATE ROW POLICY OR REPLACE tributary_analysts ON tributary.dropped_streams USING (stream IN (SELECT arrayJoin(splitByChar(',', getClientHTTPHeader('x-tributary-streams'))) AS listed) OR arrayExists(prefix -> prefix != '' AND startsWith(stream, substring(prefix, 1, length(prefix) - 1)), splitByChar(',', getClientHTTPHeader('x-tributary-stream-prefixes')))) AND NOT startsWith(stream, 'tributary.') TO sql;
CREATE ROW POLICY OR REPLACE tributary_others ON tributary.dropped_streams USING 1 TO ALL EXCEPT sql;
CREATE ROW POLICY OR REPLACE tributary_analysts ON tributary.projection_results USING owner IN (SELECT arrayJoin(splitByChar(',', getClientHTTPHeader('x-tributary-generations'))) AS listed) TO sql;
CREATE ROW POLICY OR REPLACE tributary_others ON tributary.projection_results USING 1 TO ALL EXCEPT sql;
