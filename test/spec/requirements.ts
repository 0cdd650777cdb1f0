// One row for each rule of the REST specification (`rest-interface.md`), keyed by its section and a short name. A test
// names the row that it verifies with `verifies('<id>', ...)`. requirements.test.ts lists what the build checks.
export const REQUIREMENTS = {
  // 1 What the service does
  '1/base-url-relative': 'Every route is served at its path below the base address.',
  '1/hosts-orgs':
    'The service hosts several organizations, and repositories of one name in two organizations stay separate.',
  '1/hosts-repos': 'An organization holds several repositories, and a read of one never shows the contents of another.',

  // 2.1 Repository sequence
  '2.1/repo-seq-integer': 'The sequence of a repository is an integer wherever a response carries it.',
  '2.1/repo-seq-monotonic': 'The sequence of a repository never goes back as commits are added.',
  '2.1/repo-seq-resumes':
    'An export whose sinceRepoSeq is the atRepoSeq of an earlier export gives what came after it, with no gap.',

  // 2.2 Export job minting response
  '2.2/export-token': 'The minting response carries exportToken as a string.',
  '2.2/export-token-redeems': 'An exportToken redeems the job that it was minted for, and no other job.',
  '2.2/at-repo-seq': 'The minting response carries atRepoSeq as an integer, the sequence that the export is pinned to.',

  // 2.3 Export job pending response
  '2.3/state': 'The pending response carries state as a string.',
  '2.3/state-values': 'The state of a pending response is pending or running and never anything else.',

  // 2.4 Export job completed response
  '2.4/content-type': 'The completed response has the content type application/json.',
  '2.4/url': 'The completed response carries url as a string.',
  '2.4/url-ndjson': 'A download from url gives the export as NDJSON.',
  '2.4/url-signed': 'The url is signed, so that a changed signature or a changed target downloads nothing.',
  '2.4/url-direct':
    'The file at url is downloaded straight from storage with nothing but the url, with no Authorization header.',
  '2.4/expires-at': 'The completed response carries expiresAt as a JSON number.',
  '2.4/expires-at-millis': 'The value of expiresAt is a Unix timestamp in milliseconds.',
  '2.4/at-repo-seq':
    'The completed response carries atRepoSeq as an integer, equal to the atRepoSeq of the minting response.',
  '2.4/record-count': 'The completed response carries recordCount as an integer.',
  '2.4/record-count-matches': 'The value of recordCount equals the number of records in the downloaded export.',
  '2.4/content-sha256': 'The completed response carries contentSha256 as a hexadecimal string.',
  '2.4/content-sha256-matches': 'The value of contentSha256 equals the SHA-256 digest of the downloaded content.',

  // 2.5 Synchronous export stream
  '2.5/ndjson': 'The body of a synchronous export is NDJSON: each line is one whole JSON value.',
  '2.5/header-first': 'The first line of a synchronous export is the header, and no row comes before it.',
  '2.5/header-at-repo-seq': 'The opening header carries atRepoSeq, the sequence that the stream is pinned to.',
  '2.5/header-format-version': 'The opening header carries formatVersion, the current export format of the server.',
  '2.5/row-durable-id': 'Each row of the stream is identified by a durable ID.',
  '2.5/durable-id-stable': 'The durable ID of a row is the same in every export that contains the row.',
  '2.5/shape-version-number': 'Each row that is a Shape version carries its version number as a positive integer.',

  // 3 States and transitions
  '3/pending': 'Redeeming a job that is queued and not started answers 202 with state pending.',
  '3/running': 'Redeeming a job that is actively being built answers 202 with state running.',
  '3/complete': 'Redeeming a job that is complete answers 200 with the completed response.',
  '3/polling':
    'A caller that goes on polling while it gets 202, whatever the state, reaches the 200 answer with the same exportToken.',
  '3/complete-again': 'Redeeming a complete job once more answers 200 with the download details again.',

  // 4.1 Repository reads
  '4.1/head-mounted': 'GET /api/repos/:org/:repo/head is mounted and answers with the HEAD snapshot of the repository.',
  '4.1/head-public-anonymous': 'The head of a public repository is read without credentials.',
  '4.1/head-private-no-token':
    'The head of a private repository is refused without a valid Bearer token: none, or one that is not valid.',
  '4.1/head-private-token': 'The head of a private repository is read with a valid Bearer token.',
  '4.1/about-mounted': 'GET /api/repos/:org/:repo/about/:wref is mounted and answers with assertions about a thing.',
  '4.1/about-only-thing':
    'The about route answers with the assertions about the thing that :wref names and not with those about other things.',
  '4.1/about-public-anonymous': 'The assertions about a thing in a public repository are read without credentials.',
  '4.1/about-private-no-token':
    'The assertions about a thing in a private repository are refused with no Bearer token and with one that is not valid.',
  '4.1/about-private-token': 'The assertions about a thing in a private repository are read with a valid Bearer token.',
  '4.1/query-mounted': 'GET /api/repos/:org/:repo/query is mounted and answers a query on the repository.',
  '4.1/query-filters': 'A query with a filter answers with what matches the filter and leaves out what does not.',
  '4.1/query-public-anonymous': 'A query on a public repository is answered without credentials.',
  '4.1/query-private-no-token':
    'A query on a private repository is refused without a valid Bearer token: none, or one that is not valid.',
  '4.1/query-private-token': 'A query on a private repository is answered with a valid Bearer token.',
  '4.1/export-mounted':
    'GET /api/repos/:orgName/:repoName/export is mounted and exports the contents of the repository.',
  '4.1/export-anonymous': 'A synchronous export without credentials is refused, on private and on public repositories.',
  '4.1/export-invalid-token': 'An export is refused to a Bearer token that is not valid.',
  '4.1/export-both-scopes':
    'A PAT with unrestricted repo:read and repo:checkpoint-read, and no other scope, streams an export, mints a job and redeems it.',
  '4.1/export-read-only': 'A PAT with repo:read and without repo:checkpoint-read is refused the synchronous export.',
  '4.1/export-checkpoint-only':
    'A PAT with repo:checkpoint-read and without repo:read is refused the synchronous export.',
  '4.1/mint-one-scope': 'A PAT that lacks repo:read or repo:checkpoint-read is refused the minting of an export job.',
  '4.1/mint-anonymous': 'Minting an export job is refused without credentials, on public and private repositories.',
  '4.1/redeem-one-scope':
    'A PAT that lacks repo:read or repo:checkpoint-read is refused the redemption of an export job.',
  '4.1/redeem-anonymous':
    'Redeeming an export job is refused without credentials: the exportToken is no credential by itself.',

  // 4.2 Export
  '4.2/sync-default': 'Export with neither prefer nor token answers with the NDJSON stream in the response body.',
  '4.2/sync-streamed':
    'The synchronous export is streamed: its first lines can be read before the last row has been produced.',
  '4.2/prefer-async': 'Export with prefer=async answers 202 with the minting response and no NDJSON stream.',
  '4.2/prefer-other': 'Export with prefer set to anything but async mints no job.',
  '4.2/token-redeems':
    'Export with token=<exportToken> answers for the minted job and neither streams rows nor mints another job.',
  '4.2/token-unknown': 'Export with a token that was never minted gets neither a 202 nor a 200 answer.',
  '4.2/token-other-repo': 'An exportToken minted for one repository redeems nothing on the export route of another.',
  '4.2/mode-default': 'Export without mode gives the same export as mode=heads.',
  '4.2/mode-heads': 'Export with mode=heads is accepted and exports the heads.',
  '4.2/mode-ops': 'Export with mode=ops answers 501 with the code export-mode-not-enabled.',
  '4.2/mode-ops-async':
    'Export with mode=ops and prefer=async answers 501 with the code export-mode-not-enabled and mints no job.',
  '4.2/since-default': 'Export without sinceRepoSeq gives the same export as sinceRepoSeq=0.',
  '4.2/since-zero': 'Export with sinceRepoSeq=0 contains everything in the repository at the pinned sequence.',
  '4.2/since-changed-after': 'Export with sinceRepoSeq=N contains all that changed after sequence N.',
  '4.2/since-exclusive': 'Export with sinceRepoSeq=N leaves out what last changed at sequence N or before it.',
  '4.2/since-async': 'An export job minted with sinceRepoSeq=N builds a file with only what changed after sequence N.',
  '4.2/since-integer': 'Export with a sinceRepoSeq that is not an integer is refused.',
  '4.2/at-default':
    'A synchronous export without atRepoSeq is pinned to the current committed sequence, which its opening header echoes.',
  '4.2/at-default-async':
    'A job minted without atRepoSeq is pinned to the committed sequence at the time of the minting, and answers with it.',
  '4.2/at-pins-header': 'A synchronous export with atRepoSeq=N has N in its opening header.',
  '4.2/at-pins-contents':
    'A synchronous export with atRepoSeq=N shows the repository as of sequence N, without what was committed later.',
  '4.2/at-commit-during-stream':
    'A commit made while a synchronous export is streaming changes nothing in that stream.',
  '4.2/at-async': 'A job minted with atRepoSeq=N answers with atRepoSeq N.',
  '4.2/at-async-contents':
    'The file of an export job shows the repository as of its pinned sequence, without what was committed later.',
  '4.2/at-with-since':
    'Export with both sinceRepoSeq and atRepoSeq contains only what changed after the first and up to the second.',
  '4.2/at-integer': 'Export with an atRepoSeq that is not an integer is refused.',
  '4.2/resume-default': 'A synchronous export without afterDurableId starts with the first row.',
  '4.2/resume-exclusive': 'A resume with afterDurableId leaves out the row of that durable ID and every row before it.',
  '4.2/resume-complete':
    'The rows received before an interruption and the rows of the resume together are the rows of the whole export, each once.',
  '4.2/resume-pinned': 'A resume after further commits still continues the export at the sequence given by atRepoSeq.',
  '4.2/resume-header': 'A resumed stream opens with a header too, with the same atRepoSeq and formatVersion.',
  '4.2/resume-needs-at': 'A resume with afterDurableId and without atRepoSeq is refused.',
  '4.2/resume-needs-format': 'A resume with afterDurableId and without formatVersion is refused.',
  '4.2/resume-not-async': 'Export with afterDurableId and prefer=async is refused and hands out no exportToken.',
  '4.2/resume-not-token': 'Export with afterDurableId and token is refused, whatever the state of the job.',
  '4.2/after-version-default':
    'A resume without afterVersion is accepted when the last row received was not a Shape version.',
  '4.2/after-version-continues':
    'A resume with the durable ID of a Shape and afterVersion=N goes on with the versions of that Shape later than N.',
  '4.2/after-version-exclusive':
    'A resume with afterVersion=N leaves out version N of the Shape and its earlier versions.',
  '4.2/after-version-then-rest':
    'A resume with afterVersion goes on, after the later versions of the Shape, with the rows that follow them.',
  '4.2/after-version-alone': 'Export with afterVersion and without afterDurableId is refused.',
  '4.2/after-version-positive': 'A resume with an afterVersion of zero or below is refused.',
  '4.2/after-version-integer': 'A resume with an afterVersion that is not an integer is refused.',
  '4.2/format-version-default': 'An export that is not a resume needs no formatVersion.',
  '4.2/format-version-equal': 'A resume whose formatVersion is the one of the opening header is accepted.',
  '4.2/format-version-differs': 'A resume whose formatVersion is below or above the current export format answers 412.',
  '4.2/format-version-restart':
    'After a 412 the same export, started again without the resume parameters, is answered with the whole stream.',
  '4.2/format-version-integer': 'A resume with a formatVersion that is not an integer is refused.',
  '4.2/narrowed-refs': 'A token whose repo:read is narrowed to refs gets 403 on the synchronous export.',
  '4.2/narrowed-shapes': 'A token whose repo:read is narrowed to shapes gets 403 on the synchronous export.',
  '4.2/narrowed-with-checkpoint':
    'A token with a narrowed repo:read gets 403 on export even when it holds repo:checkpoint-read as well.',
  '4.2/narrowed-mint': 'A token whose repo:read is narrowed to refs or shapes gets 403 on export with prefer=async.',
  '4.2/narrowed-redeem': 'A token whose repo:read is narrowed to refs or shapes gets 403 on export with token.',
  '4.2/component-sync': 'A component token gets 403 on the synchronous export.',
  '4.2/component-mint': 'A component token gets 403 on export with prefer=async.',
  '4.2/component-redeem': 'A component token gets 403 on export with token, also for a job that another caller minted.',
  '4.2/component-any-scopes':
    'A component token gets 403 on export even when it carries unrestricted repo:read and repo:checkpoint-read.',
  '4.2/user-drives':
    'A caller with an interactive session JWT, and a role that allows it, exports synchronously and by an async job.',

  // 4.3 Action observability
  '4.3/runs-mounted': 'GET /api/repos/:org/:repo/actions/runs is mounted and lists action runs of the repository.',
  '4.3/runs-own-repo': 'The list of action runs shows no run of another repository.',
  '4.3/runs-anonymous': 'The list of action runs is refused without credentials, on public and private repositories.',
  '4.3/runs-scope': 'A PAT with repo:configure alone lists the action runs.',
  '4.3/runs-other-scopes': 'A PAT with every scope but repo:configure is refused the list of action runs.',
  '4.3/attempts-mounted':
    'GET /api/repos/:org/:repo/actions/runs/:runId/attempts is mounted and answers with the attempts of the run.',
  '4.3/attempts-own-run': 'The attempts route shows only attempts of the run that :runId names.',
  '4.3/attempts-own-repo':
    'The attempts of a run are not shown under the path of a repository that the run does not belong to.',
  '4.3/attempts-anonymous':
    'The attempts of a run are refused without credentials, on public and private repositories.',
  '4.3/attempts-scope': 'A PAT with repo:configure alone reads the attempts of a run.',
  '4.3/attempts-other-scopes': 'A PAT with every scope but repo:configure is refused the attempts of a run.',
  '4.3/notifications-mounted':
    'GET /api/repos/:org/:repo/actions/notifications is mounted and lists action notification records.',
  '4.3/notifications-own-repo':
    'The list of notification records is scoped to the repository and shows no record of another.',
  '4.3/notifications-anonymous':
    'The list of notification records is refused without credentials, on public and private repositories.',
  '4.3/notifications-scope': 'A PAT with repo:configure alone lists the notification records.',
  '4.3/notifications-other-scopes':
    'A PAT with every scope but repo:configure is refused the list of notification records.',
  '4.3/callback-mounted': 'POST /api/action-runs/:runId/callback is mounted.',
  '4.3/callback-progress':
    'A callback that reports progress of an asynchronous action is accepted and applies to the run that :runId names.',
  '4.3/callback-completion':
    'A callback that reports completion of an asynchronous action is accepted and completes the run that :runId names.',
  '4.3/callback-anonymous': 'A callback without credentials is refused and leaves the run as it was.',
  '4.3/callback-repo-scope': 'A PAT with repo:action-callback alone reports on a repo-scoped run.',
  '4.3/callback-repo-other-scopes':
    'A PAT with every scope but repo:action-callback is refused a callback on a repo-scoped run.',
  '4.3/callback-org-scope': 'A PAT with org:action-callback alone reports on an org-scoped run.',
  '4.3/callback-org-other-scopes':
    'A PAT with every scope but org:action-callback is refused a callback on an org-scoped run.',

  // 4.4 MCP and streaming transports
  '4.4/mcp-mounted': 'POST /mcp is mounted and serves the MCP HTTP transport.',
  '4.4/mcp-get': 'GET /mcp answers 405.',
  '4.4/mcp-anonymous-tool': 'An MCP tool that needs no credentials works without a Bearer token.',
  '4.4/mcp-guarded-anonymous': 'An MCP tool that needs a Bearer token is refused without one.',
  '4.4/mcp-guarded-token': 'An MCP tool that needs a Bearer token works with a valid one.',
  '4.4/mcp-private-repo': 'An MCP tool called without credentials shows nothing of a private repository.',
  '4.4/sse-mounted': 'GET /sse is mounted and opens a stream with a live ticket.',
  '4.4/sse-no-ticket': 'GET /sse without a live ticket is refused.',
  '4.4/sse-invalid-ticket': 'GET /sse with a ticket that the service did not issue is refused.',
  '4.4/sse-bearer-only': 'GET /sse with a Bearer token and no live ticket is refused.',
  '4.4/submission-mounted':
    'POST /api/repos/:orgName/:repoName/streams/:streamId/submissions is mounted where the repository has it enabled.',
  '4.4/submission-ndjson': 'The submission route takes an NDJSON body of several lines.',
  '4.4/submission-streaming':
    'The submission route reads its body as a stream, taking in lines before the body has ended.',
  '4.4/submission-anonymous':
    'A submission without credentials to an enabled repository is refused, on public and private repositories.',
  '4.4/submission-scope': 'A PAT with repo:write alone submits to an enabled repository.',
  '4.4/submission-other-scopes':
    'A PAT with every scope but repo:write is refused a submission to an enabled repository.',
  '4.4/submission-per-repo':
    'Enabling the submission route on one repository leaves it disabled on the other repositories.',
  '4.4/submission-not-enabled': 'The submission route answers 404 on a repository where it is not enabled.',
  '4.4/submission-identical':
    'The 404 of a submission route that is not enabled is identical to the answer for an unknown path.',
  '4.4/submission-no-repo':
    'The submission route answers for a repository that does not exist exactly as for one where it is not enabled.',
  '4.4/submission-any-caller':
    'The 404 of a submission route that is not enabled is the same without a token and with any valid one.',

  // 4.5 Component registry
  '4.5/resolve-mounted':
    'POST /api/component-registry/:orgName/:componentName/resolve is mounted and resolves a manifest of the component.',
  '4.5/resolve-latest': 'The resolve route answers with the latest manifest when the component has several.',
  '4.5/resolve-eligible':
    'The resolve route reports that the component can be installed where the install is eligible.',
  '4.5/resolve-ineligible':
    'The resolve route reports that the component cannot be installed where the install is not eligible.',
  '4.5/resolve-anonymous':
    'The resolve route is refused without credentials, on public and private install repositories.',
  '4.5/resolve-scope': 'A PAT with repo:write alone on the install repository resolves a component.',
  '4.5/resolve-other-scopes':
    'A PAT with every scope but repo:write on the install repository is refused the resolve route.',
  '4.5/resolve-other-repo':
    'A PAT with repo:write only on a repository other than the install repository is refused the resolve route.',
  '4.5/setup-mounted':
    'POST /api/component-registry/:orgName/:componentName/setup-call is mounted and dispatches the setup callback.',
  '4.5/setup-optional':
    'A component that registers no setup callback is accepted by the setup-call route, and nothing is dispatched.',
  '4.5/setup-anonymous': 'The setup-call route is refused without credentials and dispatches nothing.',
  '4.5/setup-scope': 'A PAT with repo:write alone on the install repository makes the setup call.',
  '4.5/setup-other-scopes':
    'A PAT with every scope but repo:write on the install repository is refused the setup-call route.',
  '4.5/setup-other-repo':
    'A PAT with repo:write only on a repository other than the install repository is refused the setup-call route.',
  '4.5/install-handshake':
    'A resolve followed by a setup-call, with the same component and install repository, carries out an install.',
  '4.5/cli-mounted':
    'POST /api/component-registry/:orgName/:componentName/cli/:method is mounted and dispatches the method that :method names.',
  '4.5/cli-installed': 'A CLI method of a component that is not installed in the install repository is not dispatched.',
  '4.5/cli-anonymous': 'The cli route is refused without credentials, on public and private install repositories.',
  '4.5/cli-scope':
    'A PAT with repo:read alone on the install repository dispatches a method that declares no permission.',
  '4.5/cli-other-scopes': 'A PAT with every scope but repo:read on the install repository is refused the cli route.',
  '4.5/cli-other-repo':
    'A PAT with repo:read only on a repository other than the install repository is refused the cli route.',
  '4.5/cli-permission-missing':
    'A method that declares a permission is refused to a caller that has repo:read and lacks that permission.',
  '4.5/cli-permission-held':
    'A method that declares a permission is dispatched for a caller that has repo:read and that permission.',
  '4.5/cli-private-member':
    'A method of a private component is dispatched for a permitted caller who is a member of the owning organization.',
  '4.5/cli-private-outsider':
    'A method of a private component is refused to an otherwise permitted caller outside the owning organization.',
  '4.5/cli-public-outsider':
    'A method of a public component is dispatched for a permitted caller outside the owning organization.',

  // 4.6 Surfaces with no mounted REST route
  '4.6/shapes-no-route': 'Shape management is not reachable by a REST route.',
  '4.6/shapes-sdk': 'Shapes are managed through the shape APIs of the SDK.',
  '4.6/shapes-cli': 'Shapes are managed through the shape commands of the command-line tool.',
  '4.6/shapes-commits': 'Shapes are managed through commit writes.',
  '4.6/orgs-no-route': 'Organization management is not reachable by a REST route.',
  '4.6/orgs-cli': 'Organizations are managed through the org commands of the command-line tool.',
  '4.6/orgs-sdk': 'Organizations are managed through the org APIs of the SDK.',
  '4.6/repos-no-route': 'Repository management is not reachable by a REST route.',
  '4.6/repos-cli': 'Repositories are managed through the repo commands of the command-line tool.',
  '4.6/repos-sdk': 'Repositories are managed through the repo APIs of the SDK.',
  '4.6/writes-no-route': 'Repository writes of the writes workflow are not reachable by a REST route.',
  '4.6/writes-sdk': 'Repositories are written to through the writes workflow of the SDK.',
  '4.6/writes-cli': 'Repositories are written to through the writes workflow of the command-line tool.',
  '4.6/subscriptions-no-route': 'Subscription management is not reachable by a REST route.',
  '4.6/subscriptions-cli': 'Subscriptions are managed through the subscription workflows of the command-line tool.',
  '4.6/subscriptions-mcp': 'Subscriptions are managed through MCP workflows.',
  '4.6/credentials-no-route': 'Credential set management is not reachable by a REST route.',
  '4.6/credentials-cli': 'Credential sets are managed through the credential workflows of the command-line tool.',
  '4.6/pats-no-route': 'PAT management is not reachable by a REST route.',
  '4.6/pats-post': 'POST /api/pats is not mounted and answers as an unknown path does.',
  '4.6/pats-get': 'GET /api/pats is not mounted and answers as an unknown path does.',
  '4.6/pats-delete': 'DELETE /api/pats/:name is not mounted and answers as an unknown path does, and the PAT stays.',

  // 4.7 Other mounted routes
  '4.7/protected-resource': '/.well-known/oauth-protected-resource is mounted and serves MCP OAuth metadata.',
  '4.7/protected-resource-mcp': '/.well-known/oauth-protected-resource/mcp is mounted and serves MCP OAuth metadata.',
  '4.7/mcp-protected-resource': '/mcp/.well-known/oauth-protected-resource is mounted and serves MCP OAuth metadata.',
  '4.7/authorization-server': '/.well-known/oauth-authorization-server is mounted and serves MCP OAuth metadata.',
  '4.7/readme': '/:org/:repo/readme.md is mounted and serves raw content of the repository.',
  '4.7/agents': '/:org/:repo/agents.md is mounted and serves raw content of the repository.',
  '4.7/llms': '/:org/:repo/llms.txt is mounted and serves raw content of the repository.',
  '4.7/readme-private': 'The readme.md of a private repository is refused without a valid Bearer token.',
  '4.7/agents-private': 'The agents.md of a private repository is refused without a valid Bearer token.',
  '4.7/llms-private': 'The llms.txt of a private repository is refused without a valid Bearer token.',
  '4.7/private-token': 'The three raw content routes serve a private repository to a caller with a valid Bearer token.',

  // 5 Authentication
  '5/bearer-header': 'A token in the header Authorization: Bearer <ACCESS_TOKEN> authenticates the request.',
  '5/other-scheme': 'A token under an Authorization scheme other than Bearer does not authenticate the request.',
  '5/not-in-query': 'An access token given anywhere but in the Authorization header does not authenticate the request.',
  '5/kind-jwt': 'An interactive session JWT is accepted as a Bearer token.',
  '5/kind-pat': 'A personal access token is accepted as a Bearer token.',
  '5/kind-component': 'A component-issued token is accepted as a Bearer token.',
  '5/kind-other':
    'A Bearer token that is forged, revoked or of none of the accepted kinds does not authenticate the request.',
  '5/component-bound-route':
    'A component-issued token created for particular mounted routes authenticates on those routes.',
  '5/component-bound-elsewhere':
    'A component-issued token created for particular mounted routes is refused on every other route.',
  '5/role-org':
    'A request is refused where the organization role of the caller does not allow it, whatever the scopes of the token.',
  '5/role-repo':
    'A request is refused where the repository role of the caller does not allow it, whatever the scopes of the token.',
  '5/role-component':
    'A request with a component-issued token is limited by the organization and repository role of its caller too.',
  '5/role-current':
    'The roles count as they are at the time of each request, so that a role taken away limits tokens issued before.',
  '5/scope-per-repo': 'A repo scope that a PAT holds for one repository grants nothing on another repository.',
  '5/scope-per-org': 'An org scope that a PAT holds for one organization grants nothing on another organization.',
  '5/scope-repo-read': 'A PAT can be issued with the scope repo:read.',
  '5/scope-repo-checkpoint-read': 'A PAT can be issued with the scope repo:checkpoint-read.',
  '5/scope-repo-checkpoint-generate': 'A PAT can be issued with the scope repo:checkpoint-generate.',
  '5/scope-repo-write': 'A PAT can be issued with the scope repo:write.',
  '5/scope-repo-configure': 'A PAT can be issued with the scope repo:configure.',
  '5/scope-repo-admin': 'A PAT can be issued with the scope repo:admin.',
  '5/scope-repo-action-callback': 'A PAT can be issued with the scope repo:action-callback.',
  '5/scope-org-read': 'A PAT can be issued with the scope org:read.',
  '5/scope-org-configure': 'A PAT can be issued with the scope org:configure.',
  '5/scope-org-admin': 'A PAT can be issued with the scope org:admin.',
  '5/scope-org-action-callback': 'A PAT can be issued with the scope org:action-callback.',
  '5/scope-unlisted': 'A PAT cannot be issued with a scope outside the eleven of the list.',
  '5/scopes-exact': 'A PAT is issued with exactly the scopes asked for, none added and none left out.',
  '5/scopes-independent':
    'No scope implies another: for each pair of scopes, a PAT with the one alone does not hold the other.',
  '5/narrow-refs': 'A PAT can be issued with repo:read narrowed to particular refs.',
  '5/narrow-shapes': 'A PAT can be issued with repo:read narrowed to particular shapes.',
  '5/narrow-refs-limits':
    'A PAT whose repo:read is narrowed to refs reads nothing of a private repository outside those refs.',
  '5/narrow-shapes-limits':
    'A PAT whose repo:read is narrowed to shapes reads nothing of a private repository outside those shapes.',
  '5/jwt-no-narrowing':
    'PAT scopes and their narrowing play no part for a JWT, which is accepted on scoped routes that the role of the user allows.',
  '5/jwt-role': 'A JWT is refused on whatever the role of its user does not allow.',
  '5/token-cli': 'PATs are created and managed through the token commands of the command-line tool.',
  '5/token-sdk': 'PATs are created and managed through client.token.* of the SDK.',
  '5/session-manages-own': 'An interactive user session manages the tokens that the user created in a session.',
  '5/session-manages-descendants':
    'An interactive user session manages the tokens that PATs of the user created, at any depth.',
  '5/session-not-others': 'An interactive user session neither sees nor changes the tokens of another user.',
  '5/pat-manages-children': 'A PAT manages the tokens that it created.',
  '5/pat-manages-descendants': 'A PAT manages the tokens that its tokens created in turn, at any depth.',
  '5/pat-not-itself': 'A PAT does not manage itself.',
  '5/pat-not-ancestors': 'A PAT does not manage the token that created it or any token further up.',
  '5/pat-not-unrelated':
    'A PAT does not manage tokens outside its own line, be they its siblings or the tokens of another user.',
  '5/pat-list-limited': 'A list of tokens asked for with a PAT shows only the tokens that this PAT manages.',

  // 6 Events
  '6/sse-format': 'GET /sse answers as a server-sent event stream that stays open.',
  '6/sse-invalidates': 'The stream of GET /sse delivers an invalidation when what its ticket covers has changed.',
  '6/terminal-failure-recorded':
    'A terminal failure of an action is recorded as a notification record that the notifications route of its repository lists.',
  '6/other-outcomes-unrecorded': 'A success, or a failed attempt that is not terminal, leaves no notification record.',

  // 7 Errors (the statuses 403, 405, 412 and 501, and the 404 of submissions, are rows of 4.2 and 4.4)
  '7/accepted-not-error':
    'A 202 answer of the export is no error: its body is the minting or the pending response and never an error body.',
  '7/unknown-path': 'A path that is not mounted answers 404.',

  // 8 Limits (the default of sinceRepoSeq is a row of 4.2)
  '8/url-valid-before': 'The signed export url downloads the file at any moment before expiresAt.',
  '8/url-refused-after': 'The signed export url downloads nothing after expiresAt.',

  // 9 Versioning (the header and the 412 are rows of 2.5 and 4.2)
  '9/format-version-integer': 'The formatVersion that the server reports is an integer.',
  '9/heads-only': 'Export with a mode that is neither heads nor ops gives no export.',
} as const satisfies Record<string, string>;

export type RequirementId = keyof typeof REQUIREMENTS;
