/**
 * Functions that analysts may not call, in lower case, because ClickHouse accepts some names in any case. The forbidden
 * functions read something other than their arguments (tables or dictionaries by name, files, the server, its settings,
 * models), write to the server's log, sleep, call external services, or compare two long texts or arrays for minutes,
 * during which ClickHouse cannot cancel them.
 */
const forbidden = new Set([
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
  ...['editdistance', 'editdistanceutf8', 'levenshteindistance', 'levenshteindistanceutf8'],
  ...['dameraulevenshteindistance', 'jarosimilarity', 'jarowinklersimilarity', 'arraylevenshteindistance'],
  ...['arraylevenshteindistanceweighted', 'arraysimilarity'],
  ...['timeseriesidtotags', 'timeseriesidtogroup', 'timeseriesstoretags', 'hasthreadfuzzer'],
]);

/**
 * Matches families of functions that analysts may not call, because later versions of ClickHouse add more functions to
 * them.
 */
const forbiddenFamilies =
  /^(dict|region(to|in|hierarchy)|ai[a-z]*(classify|embed|extract|generate|translate)$|__)/;

/** Whether analysts may not call the ClickHouse function of this name. */
export function isForbiddenFunction(name: string): boolean {
  const lower = name.toLowerCase();
  return forbidden.has(lower) || forbiddenFamilies.test(lower);
}
