"""Reflection: a client that has no stubs can find every service and call it."""

import asyncio

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from scripted_service import Service

SERVICES = {
    "grpc.health.v1.Health",
    "grpc.reflection.v1alpha.ServerReflection",
    "scorer.v1.ArtifactService",
    "scorer.v1.AttemptService",
    "scorer.v1.EnvironmentService",
    "scorer.v1.JobService",
    "scorer.v1.OperatorService",
    "scorer.v1.ScoringService",
}


async def test_every_service_is_listed(service: Service) -> None:
    def services() -> set[str]:
        with grpc.insecure_channel(service.address) as channel:
            return set(ProtoReflectionDescriptorDatabase(channel).get_services())

    assert await asyncio.to_thread(services) == SERVICES


async def test_a_submission_can_be_scored_from_what_reflection_tells(service: Service) -> None:
    service.environment.released.set()

    def score() -> object:
        with grpc.insecure_channel(service.address) as channel:
            pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
            found = pool.FindServiceByName("scorer.v1.ScoringService")
            method = found.methods_by_name["ScoreRustCodecontests"]
            asked = {"programs": [{"problemId": "a", "source": {"inline": "fn main() {}"}}]}
            request = json_format.ParseDict(asked, GetMessageClass(method.input_type)())
            call = channel.unary_unary(
                f"/{found.full_name}/{method.name}",
                request_serializer=type(request).SerializeToString,
                response_deserializer=GetMessageClass(method.output_type).FromString,
            )
            return json_format.MessageToDict(call(request))["result"]["verdict"]

    assert await asyncio.to_thread(score) == "VERDICT_SCORED"


async def test_every_service_can_be_found_by_its_symbol(service: Service) -> None:
    def methods() -> dict[str, int]:
        with grpc.insecure_channel(service.address) as channel:
            pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
            return {name: len(pool.FindServiceByName(name).methods) for name in SERVICES}

    assert all((await asyncio.to_thread(methods)).values())
