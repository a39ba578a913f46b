"""A client of A2A 1.0 in plain Python: what the protocol says, over JSON-RPC and over HTTP+JSON, against any server.

It shares no code with the switchboard and knows nothing of it but its card, its key and the words that the demo agent
understands. Usage: plain_client.py <base url> <key>. One line for each thing that was tried; status 1 when one failed.
"""

import base64
import json
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid

ERRORS = {
    "TASK_NOT_FOUND": (-32001, 404),
    "TASK_NOT_CANCELABLE": (-32002, 400),
    "UNSUPPORTED_OPERATION": (-32004, 400),
    "CONTENT_TYPE_NOT_SUPPORTED": (-32005, 400),
    "VERSION_NOT_SUPPORTED": (-32009, 400),
    "INVALID_PARAMS": (-32602, 400),
}
TERMINAL = {"TASK_STATE_" + name for name in ("COMPLETED", "FAILED", "CANCELED", "REJECTED")}
TIMEOUT = 30


class A2AError(Exception):
    """An error of the protocol, by its reason."""

    def __init__(self, code, reason, message):
        super().__init__(f"{code} {reason}: {message}")
        self.code = code
        self.reason = reason


def reason_of(details):
    infos = [d for d in details if d.get("@type") == "type.googleapis.com/google.rpc.ErrorInfo"]
    return infos[0]["reason"]


def http(method, url, key=None, body=None, headers=None, content_type="application/json"):
    """The open response; also of refusals."""
    sent = {"A2A-Version": "1.0", **({"Authorization": f"Bearer {key}"} if key else {}), **(headers or {})}
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        sent["Content-Type"] = content_type
    request = urllib.request.Request(url, data=data, method=method, headers=sent)
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as refused:
        return refused


def sse(response):
    """(id, data) of each event, by the rules of server-sent events: lines, fields, comments, multi-line data."""
    event_id, data = "", []
    for raw in response:
        line = raw.decode("utf-8").rstrip("\n").rstrip("\r")
        if line == "":
            if data:
                yield event_id, json.loads("\n".join(data))
            data = []
        elif line.startswith(":"):
            continue
        else:
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data":
                data.append(value)
            elif name == "id":
                event_id = value


class JsonRpc:
    binding = "JSONRPC"

    def __init__(self, url, key, tenant=None):
        self.url, self.key, self.tenant = url, key, tenant

    def ask(self, method, params, headers=None):
        call_id = str(uuid.uuid4())
        params = {**params, **({"tenant": self.tenant} if self.tenant else {})}
        body = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
        return call_id, http("POST", self.url, self.key, body, headers)

    def unwrap(self, call_id, answer):
        assert answer["jsonrpc"] == "2.0" and answer["id"] == call_id, answer
        assert ("result" in answer) != ("error" in answer), answer
        if "error" in answer:
            error = answer["error"]
            raise A2AError(error["code"], reason_of(error["data"]), error["message"])
        return answer["result"]

    def call(self, method, params, headers=None):
        call_id, response = self.ask(method, params, headers)
        with response:
            assert response.headers["Content-Type"].startswith("application/json")
            return self.unwrap(call_id, json.load(response))

    def stream(self, method, params, headers=None):
        call_id, response = self.ask(method, params, headers)
        with response:
            if not response.headers["Content-Type"].startswith("text/event-stream"):
                self.unwrap(call_id, json.load(response))
                raise AssertionError("a result in place of a stream")
            for event_id, data in sse(response):
                yield event_id, self.unwrap(call_id, data)

    def code(self, reason):
        return ERRORS[reason][0]


class HttpJson:
    binding = "HTTP+JSON"

    def __init__(self, url, key, tenant=None):
        self.url, self.key = url + (f"/{tenant}" if tenant else ""), key

    def ask(self, method, params, headers=None):
        params = dict(params)
        if "PushNotificationConfig" in method:
            task = "/tasks/" + urllib.parse.quote(params.pop("taskId"), safe="") + "/pushNotificationConfigs"
        else:
            task = "/tasks/" + urllib.parse.quote(params.pop("id", ""), safe="")
        one = task + "/" + urllib.parse.quote(params.get("id", ""), safe="")
        verb, path = {
            "SendMessage": ("POST", "/message:send"),
            "SendStreamingMessage": ("POST", "/message:stream"),
            "GetTask": ("GET", task),
            "ListTasks": ("GET", "/tasks"),
            "CancelTask": ("POST", task + ":cancel"),
            "SubscribeToTask": ("POST", task + ":subscribe"),
            "CreateTaskPushNotificationConfig": ("POST", task),
            "GetTaskPushNotificationConfig": ("GET", one),
            "ListTaskPushNotificationConfigs": ("GET", task),
            "DeleteTaskPushNotificationConfig": ("DELETE", one),
            "GetExtendedAgentCard": ("GET", "/extendedAgentCard"),
        }[method]
        if verb in ("GET", "DELETE"):
            if path == one:
                params.pop("id")
            words = {k: str(v).lower() if isinstance(v, bool) else v for k, v in params.items()}
            path += "?" + urllib.parse.urlencode(words) if words else ""
            return http(verb, self.url + path, self.key, None, headers)
        return http(verb, self.url + path, self.key, params, headers, "application/a2a+json")

    def unwrap(self, response):
        text = response.read()
        answer = json.loads(text) if text else {}
        if response.status >= 400:
            error = answer["error"]
            assert error["code"] == response.status, error
            raise A2AError(error["code"], reason_of(error["details"]), error["message"])
        return answer

    def call(self, method, params, headers=None):
        with self.ask(method, params, headers) as response:
            return self.unwrap(response)

    def stream(self, method, params, headers=None):
        with self.ask(method, params, headers) as response:
            if not response.headers["Content-Type"].startswith("text/event-stream"):
                self.unwrap(response)
                raise AssertionError("a result in place of a stream")
            yield from sse(response)

    def code(self, reason):
        return ERRORS[reason][1]


def message(text, parts=(), **more):
    said = [{"text": text}] if text else []
    return {"message": {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": said + list(parts), **more}}


def state(task):
    return task["status"]["state"]


def words(task):
    return "".join(part.get("text", "") for artifact in task.get("artifacts", []) for part in artifact["parts"])


class Replica:
    """A task as a client keeps it from the events of a stream alone."""

    def __init__(self):
        self.task, self.ids, self.ended = None, [], False

    def take(self, event_id, event):
        assert not self.ended, "an event after the terminal one"
        ((kind, value),) = event.items()
        self.ids.append(event_id)
        if kind == "task":
            self.task = value
        elif kind == "statusUpdate":
            assert value["taskId"] == self.task["id"] and value["contextId"] == self.task["contextId"]
            self.task["status"] = value["status"]
        elif kind == "artifactUpdate":
            artifacts = self.task.setdefault("artifacts", [])
            known = [a for a in artifacts if a["artifactId"] == value["artifact"]["artifactId"]]
            if not known:
                artifacts.append(value["artifact"])
            elif value.get("append"):
                known[0]["parts"] += value["artifact"]["parts"]
            else:
                known[0]["parts"] = value["artifact"]["parts"]
        else:
            raise AssertionError(f"an event of kind {kind}")
        self.ended = state(self.task) in TERMINAL


def refused(reason, client, method, params, headers=None, stream=False):
    try:
        list(client.stream(method, params, headers)) if stream else client.call(method, params, headers)
    except A2AError as error:
        assert (error.reason, error.code) == (reason, client.code(reason)), error
        return
    raise AssertionError(f"{method} was not refused")


# What is tried, over each binding.


def sends_and_reads(client):
    task = client.call("SendMessage", message("hello"))["task"]
    assert state(task) == "TASK_STATE_COMPLETED" and words(task) == "echo: hello", task
    assert client.call("GetTask", {"id": task["id"]}) == task
    assert len(client.call("GetTask", {"id": task["id"], "historyLength": 1})["history"]) == 1
    assert "history" not in client.call("GetTask", {"id": task["id"], "historyLength": 0})


def streams(client):
    replica = Replica()
    for event_id, event in client.stream("SendStreamingMessage", message("tool search; stream 5; data [1, {\"a\": null}]")):
        replica.take(event_id, event)
    stored = client.call("GetTask", {"id": replica.task["id"]})
    assert replica.ended and words(replica.task) == words(stored), (replica.task, stored)
    assert state(replica.task) == state(stored) == "TASK_STATE_COMPLETED"
    assert len(set(replica.ids)) == len(replica.ids)


def answers_a_question(client):
    asked = client.call("SendMessage", message("ask Name?"))["task"]
    assert state(asked) == "TASK_STATE_INPUT_REQUIRED"
    assert asked["status"]["message"]["parts"][0]["text"] == "Name?"
    done = client.call("SendMessage", message("Ann", taskId=asked["id"]))["task"]
    assert (done["id"], done["contextId"]) == (asked["id"], asked["contextId"])
    assert state(done) == "TASK_STATE_COMPLETED" and "Ann" in words(done), done
    refused("UNSUPPORTED_OPERATION", client, "SendMessage", message("more", taskId=asked["id"]))
    refused("UNSUPPORTED_OPERATION", client, "SubscribeToTask", {"id": asked["id"]}, stream=True)


def follows_resumes_and_cancels(client):
    request = {**message("ask Go on?; say end"), "configuration": {"returnImmediately": True}}
    task = client.call("SendMessage", request)["task"]
    first, follower = Replica(), client.stream("SubscribeToTask", {"id": task["id"]})
    for event_id, event in follower:
        first.take(event_id, event)
        if state(first.task) == "TASK_STATE_INPUT_REQUIRED":
            break
    follower.close()
    resumed = client.stream("SubscribeToTask", {"id": task["id"]}, {"Last-Event-ID": first.ids[-1]})
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(resumed))
    reader.start()
    canceled = client.call("CancelTask", {"id": task["id"]})
    assert state(canceled) == "TASK_STATE_CANCELED"
    assert client.call("CancelTask", {"id": task["id"]}) == canceled
    reader.join(TIMEOUT)
    # Either the reader was there when the task ended, or it got what it had missed.
    assert seen and state(seen[-1][1]["statusUpdate"]) == "TASK_STATE_CANCELED", seen
    assert not {event_id for event_id, _ in seen} & set(first.ids)
    done = client.call("SendMessage", message("hello"))["task"]
    refused("TASK_NOT_CANCELABLE", client, "CancelTask", {"id": done["id"]})


def lists_page_by_page(client):
    context = f"plain-{uuid.uuid4()}"
    sent = {client.call("SendMessage", message(f"n{n}", contextId=context))["task"]["id"] for n in range(5)}
    found, token = [], None
    while token != "":
        page = client.call("ListTasks", {"contextId": context, "pageSize": 2, **({"pageToken": token} if token else {})})
        assert page["totalSize"] == 5 and page["pageSize"] == 2, page
        found += [task["id"] for task in page["tasks"]]
        token = page["nextPageToken"]
    assert len(found) == 5 and set(found) == sent
    whole = client.call("ListTasks", {"contextId": context, "includeArtifacts": True, "status": "TASK_STATE_COMPLETED"})
    assert all("artifacts" in task for task in whole["tasks"]) and len(whole["tasks"]) == 5
    refused("INVALID_PARAMS", client, "ListTasks", {"pageSize": 0})
    refused("INVALID_PARAMS", client, "ListTasks", {"status": "TASK_STATE_RUNNING"})


def carries_parts(client):
    raw = base64.b64encode(bytes(range(256))).decode()
    parts = [
        {"raw": raw, "filename": "all.bin", "mediaType": "application/octet-stream"},
        {"data": {"deep": [1, 2.5, None, "\u2028"]}},
    ]
    task = client.call("SendMessage", message("file out.txt caf\u00e9", parts))["task"]
    given = client.call("SendMessage", message("file out.txt caf\u00e9"))["task"]
    assert task["history"][0]["parts"][1:] == parts, task["history"][0]
    files = [part for artifact in given["artifacts"] for part in artifact["parts"] if "raw" in part]
    assert base64.b64decode(files[0]["raw"]).decode() == "caf\u00e9"
    odd = message("", [{"text": "x", "mediaType": "application/x-unheard-of"}])
    refused("CONTENT_TYPE_NOT_SUPPORTED", client, "SendMessage", odd)
    refused("INVALID_PARAMS", client, "SendMessage", message("", [{"text": "a", "data": 1}]))


def keeps_webhooks(client):
    task = client.call("SendMessage", message("ask Name?"))["task"]
    made = client.call("CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": "https://8.8.8.8/hook"})
    name = {"taskId": task["id"], "id": made["id"]}
    assert client.call("GetTaskPushNotificationConfig", name) == made
    assert client.call("ListTaskPushNotificationConfigs", {"taskId": task["id"]})["configs"] == [made]
    for _ in range(2):
        client.call("DeleteTaskPushNotificationConfig", name)
    refused("TASK_NOT_FOUND", client, "GetTaskPushNotificationConfig", name)


def hears_what_is_wrong(client):
    refused("TASK_NOT_FOUND", client, "GetTask", {"id": str(uuid.uuid4())})
    refused("VERSION_NOT_SUPPORTED", client, "GetTask", {"id": "x"}, {"A2A-Version": "99.0"})
    refused("INVALID_PARAMS", client, "SendMessage", {"message": {"role": "ROLE_USER", "parts": [{"text": "x"}]}})
    with http("GET" if client.binding == "HTTP+JSON" else "POST", client.url, "no key at all") as response:
        assert response.status == 401 and response.headers["WWW-Authenticate"], response.status


def reads_its_extended_card(client):
    card = client.call("GetExtendedAgentCard", {})
    assert card["name"] and card["supportedInterfaces"], card


TRIED = [
    sends_and_reads,
    streams,
    answers_a_question,
    follows_resumes_and_cancels,
    lists_page_by_page,
    carries_parts,
    keeps_webhooks,
    hears_what_is_wrong,
    reads_its_extended_card,
]


def main(base, key):
    with http("GET", base + "/.well-known/agent-card.json") as response:
        card = json.load(response)
    failed = passed = 0
    for make in (JsonRpc, HttpJson):
        entries = [
            entry
            for entry in card["supportedInterfaces"]
            if entry["protocolBinding"] == make.binding and entry["protocolVersion"] == "1.0"
        ]
        client = make(entries[0]["url"], key, entries[0].get("tenant"))
        for attempt in TRIED:
            try:
                attempt(client)
                passed += 1
                print(f"ok   {make.binding} {attempt.__name__}")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
                failed += 1
                print(f"FAIL {make.binding} {attempt.__name__}: {type(error).__name__} {error}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].rstrip("/"), sys.argv[2]))
