/**
 * Functions that read something else than their arguments: tables and dictionaries by name, files, the server, its
 * settings, models; or that write to its log, sleep, or call out. In lower case: ClickHouse accepts some in any case.
 */
const refused = new Set([
  ...['joinget', 'joingetornull', 'hascolumnintable', 'file', 'catboostevaluate', 'evalmlmethod'],
  ...['naivebayesclassifier', 'naivebayesclassifierwithprob', 'naivebayesclassifierwithallprobs'],
  ...['getsetting', 'getsettingordefault', 'getserversetting', 'getmergetreesetting', 'getmacro'],
  ...['globalvariable', 'getclienthttpheader', 'getserverport', 'tcpport', 'getoskernelversion'],
  ...['getmaxtablenamelengthfordatabase', 'mergetreepartinfo', 'ismergetreepartcoveredby'],
  ...['hostname', 'fqdn', 'fullhostname', 'serveruuid', 'buildid', 'uptime', 'showcertificate', 'chdb'],
  ...['filesystemavailable', 'filesystemcapacity', 'filesystemunreserved'],
  ...[
    'currentprofiles',
    'enabledprofiles',
    'defaultprofiles',
    'currentroles',
    'enabledroles',
    'defaultroles',
  ],
  ...['current_roles', 'enabled_roles', 'authenticateduser', 'initialqueryid', 'initial_query_id'],
  ...['addresstoline', 'addresstolinewithinlines', 'addresstosymbol', 'demangle', 'tid', 'logtrace'],
  ...['sleep', 'sleepeachrow', 'runningconcurrency', 'zookeepersessionuptime', 'generateserialid'],
  ...[
    'transactionid',
    'transactionlatestsnapshot',
    'transactionoldestsnapshot',
    'connectionid',
    'connection_id',
  ],
  ...[
    'structuretocapnprotoschema',
    'structuretoprotobufschema',
    'formatrow',
    'formatrownonewline',
    'fuzzquery',
  ],
  ...['timeseriesidtotags', 'timeseriesidtogroup', 'timeseriesstoretags', 'hasthreadfuzzer'],
]);

/** Families of them, of which every version of ClickHouse has more. */
const refusedFamilies =
  /^(dict|region(to|in|hierarchy)|ai[a-z]*(classify|embed|extract|generate|translate)$|__)/;

export function isRefusedFunction(name: string): boolean {
  const lower = name.toLowerCase();
  return refused.has(lower) || refusedFamilies.test(lower);
}
